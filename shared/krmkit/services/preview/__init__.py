"""`krmkit preview`: the page of a report on loopback, with choices. `configplace` is where a function's config stands,
`presetchoices` and `macrochoices` are what can be chosen in it, `previewpackage` puts choices into a package in memory or on
disk, `previewapp` answers the page, `command` serves it."""
