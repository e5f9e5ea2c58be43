"""The web site: `make site` builds it with Sphinx from `docs/`, `site/` and the package.

`python -m tools.site` writes the source tree that Sphinx reads: the Markdown files of the
repository, the files that they link to, and generated pages. `site/conf.py` configures Sphinx, and
`python -m tools.site.dead_links` checks the result.
"""
