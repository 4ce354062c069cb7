"""spiff++: merge YAML templates that hold expressions `(( ... ))` with stubs.

    from krmkit.libraries.spiff import Options, SpiffError, merge

    result = merge("port: (( 8000 + offset ))\\noffset: 80\\n", ["offset: 443\\n"])
    result.documents   # [{"offset": 443, "port": 8443}]
    result.state       # the part of the result marked &state, for the next run

`merge(template, stubs, options)` takes texts, `evaluate(template, stubs, options)` decoded data (dict, list,
scalars); both return decoded data. They raise SpiffError: `message` is the whole text, `unresolved` lists the
nodes without a value.

`Options` (all optional): `bindings` (names around the document), `files` ({path: text or bytes}, a read-only
file system rooted at /), `access` ("none" or "files": functions reach it), `features` ("interpolation",
"control"), `partial` (open expressions stay), `preserve_escapes`, `preserve_temporary`, `state` (data of an
earlier run), `source_name`, `stub_names`, `functions` (more functions by name: plain data in and out,
ValueError to fail), `floats` (numbers of `bindings` are floats, as JSON makes them in Go; on by default),
`limits`, `environment` (the variables of `env`), `chance` (a seed for rand, salts and keys: the same seed
gives the same bytes).

Nothing depends on the machine's clock, environment, disk or chance; functions that need these fail and name
the reason. docs/spiff.md lists the other differences from spiff++.
"""

from __future__ import annotations

from krmkit.libraries.spiff.engine import Merged, Options, evaluate, merge
from krmkit.libraries.spiff.tree.errors import SpiffError
from krmkit.libraries.spiff.tree.limits import SpiffLimits
from krmkit.libraries.spiff.tree.reading import plain_documents

__all__ = ["Merged", "Options", "SpiffError", "SpiffLimits", "evaluate", "merge", "plain_documents"]
