# Settings.
def update(name, value):
    pass
