"""spiff++: merge YAML templates that hold expressions `(( ... ))` with stubs.

    from krmkit.lang.spiff import Options, SpiffError, merge

    result = merge("port: (( 8000 + offset ))\\noffset: 80\\n", ["offset: 443\\n"])
    result.documents   # [{"offset": 443, "port": 8443}]
    result.state       # the part of the result marked &state, for the next run

`merge(template, stubs, options)` takes texts. `evaluate(node, options)` takes decoded data (dict, list, scalars) and
returns decoded data. Both raise SpiffError: `message` is the whole text, `unresolved` lists the failed nodes.

`Options` (all optional): `bindings` (a map of names below the document), `files` ({path: text or bytes}, a read-only file
system rooted at /), `access` ("none" or "files"), `features` ({"interpolation", "control"}), `partial`,
`preserve_escapes`, `preserve_temporary`, `state` (data of an earlier run), `source_name`, `stub_names`, `floats` (True: numbers
of `bindings` are floats, as JSON makes them in Go), `limits`.
"""
