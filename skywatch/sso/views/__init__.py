"""The resources of single sign-on."""
