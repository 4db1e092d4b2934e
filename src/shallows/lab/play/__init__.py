"""Playgrounds: one declaration each, which the page of the same name draws."""
