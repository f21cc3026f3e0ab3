# `seaborn`: plots of tables, of which axes come back.
import harp_library as _harp
from matplotlib._drawn import Axes as _Axes, Drawn as _Drawn, _drawing, _ignored


def _axes(*arguments, **options):
    return _Axes()


heatmap = lineplot = scatterplot = barplot = boxplot = boxenplot = violinplot = countplot = histplot = kdeplot = ecdfplot = rugplot = _axes
stripplot = swarmplot = pointplot = regplot = residplot = distplot = tsplot = _axes
pairplot = jointplot = relplot = displot = catplot = lmplot = clustermap = factorplot = palplot = dogplot = _drawing
FacetGrid = PairGrid = JointGrid = objects = _Drawn
set = set_theme = set_style = set_palette = reset_defaults = reset_orig = despine = set_hls_values = move_legend = _ignored
axes_style = plotting_context = set_context = cubehelix_palette_context = _drawing


def color_palette(palette=None, n_colors=None, desat=None, as_cmap=False):
    if as_cmap:
        from matplotlib.colors import Colormap

        return Colormap()
    return _harp.some_of([tuple([_harp.outside("a part of a colour") for part in range(3)])])


hls_palette = husl_palette = cubehelix_palette = light_palette = dark_palette = diverging_palette = blend_palette = xkcd_palette = color_palette
crayon_palette = mpl_palette = color_palette


def load_dataset(name, cache=True, data_home=None, **options):
    return _harp.outside("a data set")


def get_dataset_names():
    return _harp.some_of([str(_harp.outside("a name"))])
