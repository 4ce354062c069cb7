"""`krmkit preview`: the page of a report on loopback, with choices.

`configs` finds a function's config, `presets` and `macros` hold its choices, `package` puts choices into a
package in memory or on disk, `app` answers the page, `server` serves it.
"""
