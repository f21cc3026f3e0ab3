# `matplotlib.pyplot`: what is drawn, shown and saved.
import numpy as np
import harp_library as _harp
from matplotlib._drawn import Axes, Drawn, Figure, Mosaic, grid as _grid, histogram, histogram_of_two, numbers
from matplotlib._drawn import _asked, _drawing, _ignored, _image, _limits, _pair, _spectrogram, _spectrum
import matplotlib.cm as _cm
from matplotlib.colors import Colormap, Normalize, colormap as _colormap

autoscale = autumn = bone = box = cla = clf = clim = close = cool = copper = delaxes = disconnect = draw = flag = gray = grid = hot = _ignored
hsv = imsave = inferno = install_repl_displayhook = jet = locator_params = magma = minorticks_off = minorticks_on = nipy_spectral = _ignored
pause = pink = plasma = prism = rc = rcdefaults = savefig = sca = sci = set_cmap = set_loglevel = show = spring = subplots_adjust = _ignored
summer = switch_backend = tick_params = ticklabel_format = tight_layout = uninstall_repl_displayhook = viridis = winter = xscale = _ignored
yscale = _ignored

annotate = arrow = axhline = axhspan = axline = axvline = axvspan = bar = bar_label = barbs = barh = boxplot = broken_barh = clabel = _drawing
colorbar = contour = contourf = cycler = ecdf = errorbar = eventplot = figimage = figlegend = figtext = fill = fill_between = _drawing
fill_betweenx = findobj = gci = get_current_fig_manager = grouped_bar = hexbin = hlines = ioff = ion = legend = loglog = matshow = _drawing
new_figure_manager = pcolor = pcolormesh = pie = pie_label = plot = polar = quiver = quiverkey = rc_context = scatter = semilogx = _drawing
semilogy = spy = stackplot = stairs = stem = step = streamplot = subplot_tool = suptitle = table = text = title = tricontour = _drawing
tricontourf = tripcolor = triplot = violinplot = vlines = xkcd = xlabel = ylabel = _drawing

connect = fignum_exists = get = get_backend = get_figlabels = get_fignums = get_plot_commands = get_scale_names = getp = ginput = _asked
interactive = isinteractive = setp = waitforbuttonpress = margins = _asked

xlim = ylim = figaspect = _limits
xticks = yticks = rgrids = thetagrids = _pair
imshow = _image
hist = histogram
hist2d = histogram_of_two
specgram = _spectrogram
psd = csd = cohere = _spectrum

Line2D = Rectangle = Circle = Polygon = Arrow = Annotation = Text = Artist = GridSpec = SubplotSpec = Slider = Button = Widget = Drawn
MaxNLocator = MultipleLocator = FixedLocator = LinearLocator = NullLocator = LogLocator = AutoLocator = IndexLocator = Locator = Drawn
FuncFormatter = FormatStrFormatter = ScalarFormatter = NullFormatter = FixedFormatter = LogFormatter = Formatter = Drawn

rcParams = style = ticker = mlab = Drawn()
cm = _cm


def axis(*arguments, **options):
    return numbers(4)


def _of_lags(x, *arguments, **options):
    lags = _harp.free_size("lags", 1)
    return np.zeros(lags), np.zeros(lags), Drawn(), Drawn()


acorr = xcorr = _of_lags


def _of_frequencies(x, *arguments, **options):
    bins = _harp.free_size("frequencies", 1)
    return np.zeros(bins), np.zeros(bins), Drawn()


angle_spectrum = magnitude_spectrum = phase_spectrum = _of_frequencies


def figure(*arguments, **options):
    return Figure()


gcf = figure


def axes(*arguments, **options):
    return Axes()


gca = subplot = subplot2grid = twinx = twiny = axes


def subplots(nrows=1, ncols=1, sharex=False, sharey=False, squeeze=True, width_ratios=None, height_ratios=None, subplot_kw=None,
             gridspec_kw=None, **fig_kw):
    return Figure(), _grid(nrows, ncols, squeeze)


def subplot_mosaic(mosaic, **options):
    return Figure(), Mosaic()


def get_cmap(name=None, lut=None):
    return _colormap(name, lut)
