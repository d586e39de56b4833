"""The detailed map of the own region: cut out of a PMTiles archive of the world that answers by ranges."""
