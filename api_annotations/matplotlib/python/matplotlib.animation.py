# `matplotlib.animation`: moving plots.
from matplotlib._drawn import Drawn

FuncAnimation = ArtistAnimation = Animation = FFMpegWriter = PillowWriter = ImageMagickWriter = FFMpegFileWriter = HTMLWriter = Drawn
Drawn
writers = Drawn()
