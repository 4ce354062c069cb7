# A release: see docs/releases.md. Nothing here publishes anything; .github/workflows/release.yml does, for a tag.
.PHONY: release

# IMAGES=no leaves out the images, which take root, podman and debootstrap.
release: venv venv-sbom ## everything of a release, in dist (VERSION=1.2.0; IMAGES=no: without images)
	@test -n "$(VERSION)" || { echo "say which version: make release VERSION=1.2.0" >&2; exit 2; }
	@$(DEV) -m tools.release.ready "$(VERSION)"
	@rm -rf dist
	@$(DEV) -m tools.release.distributions
	@$(DEV) -m tools.release.singlefile dist/krmkit-$(VERSION)-py3-none-any.whl dist/krmkit.pyz
	@.venv-sbom/bin/python -m tools.images.sbom --single-file && cp build/sbom/krmkit.cdx.json dist
	@if [ "$(IMAGES)" = no ]; then \
	  echo "without images, and so without the catalog that names them"; \
	else \
	  $(MAKE) base-image images bundle TAG=v$(VERSION) && TAG=v$(VERSION) $(DEV) -m tools.images.release; \
	fi
	@$(DEV) -m tools.release.sums
