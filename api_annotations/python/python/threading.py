# What `threading` keeps, beyond what Harp does itself: there is one thread.


class local:
    pass
