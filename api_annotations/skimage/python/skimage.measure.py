# `skimage.measure`: regions and their properties.
from skimage._pictures import number as _number, of_labels as _of_labels, some as _some

label = _of_labels
regionprops = regionprops_table = find_contours = marching_cubes = marching_cubes_lewiner = ransac = block_reduce = _some
approximate_polygon = subdivide_polygon = profile_line = moments = moments_central = moments_hu = _some
points_in_poly = inertia_tensor = centroid = CircleModel = EllipseModel = LineModelND = _some
shannon_entropy = euler_number = perimeter = blur_effect = compare_ssim = compare_psnr = compare_mse = _number
