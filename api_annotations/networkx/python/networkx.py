# `networkx`: graphs. How many nodes and edges they have is not known; matrices of them are square.
import numpy as np
import harp_library as _harp


class Graph:
    @classmethod
    def _of_anything(cls):
        return cls()

    def __init__(self, incoming_graph_data=None, **attributes):
        pass

    def __getattr__(self, name):
        return _Seen()

    def __getitem__(self, node):
        return _harp.outside("a part of a graph")

    def __iter__(self):
        return iter(_harp.some_of([_harp.outside("a node")]))

    def __len__(self):
        return _harp.free_size("nodes", 0)

    def __contains__(self, node):
        return bool(_harp.outside("whether the graph has it"))

    def _changed(self, *arguments, **options):
        return None

    add_node = add_nodes_from = add_edge = add_edges_from = add_weighted_edges_from = remove_node = remove_nodes_from = remove_edge = _changed
    remove_edges_from = clear = update = clear_edges = _changed

    def _other(self, *arguments, **options):
        return Graph()

    copy = subgraph = edge_subgraph = to_undirected = to_directed = reverse = _other

    def number_of_nodes(self):
        return _harp.free_size("nodes", 0)

    order = number_of_nodes

    def number_of_edges(self, u=None, v=None):
        return _harp.free_size("edges", 0)

    def has_node(self, *arguments):
        return bool(_harp.outside("whether the graph has it"))

    has_edge = is_directed = is_multigraph = has_node


class _Seen:
    """Nodes, edges or neighbours: called, asked for one, or gone through."""

    def __call__(self, *arguments, **options):
        return _harp.outside("a part of a graph")

    def __getitem__(self, key):
        return _harp.outside("a part of a graph")

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(_harp.some_of([_harp.outside("a part of a graph")]))

    def __len__(self):
        return _harp.free_size("parts", 0)

    def __contains__(self, key):
        return bool(_harp.outside("whether the graph has it"))

    def __getattr__(self, name):
        return _known


class DiGraph(Graph):
    pass


class MultiGraph(Graph):
    pass


class MultiDiGraph(DiGraph):
    pass


OrderedGraph = Graph
OrderedDiGraph = DiGraph


def _known(*arguments, **options):
    return _harp.outside("what is known of a graph")


def _graph(*arguments, **options):
    return Graph()


def to_numpy_array(G, nodelist=None, dtype=None, order=None, multigraph_weight=None, weight="weight", nonedge=0.0):
    nodes = _harp.free_size("nodes", 0) if nodelist is None else len(nodelist)
    return np.zeros((nodes, nodes), dtype=np.float64 if dtype is None else dtype)


to_numpy_matrix = to_numpy_array


def adjacency_matrix(G, nodelist=None, dtype=None, weight="weight"):
    from scipy.sparse import csr_array

    nodes = _harp.free_size("nodes", 0) if nodelist is None else len(nodelist)
    return csr_array((nodes, nodes))


laplacian_matrix = normalized_laplacian_matrix = to_scipy_sparse_array = to_scipy_sparse_matrix = adjacency_matrix
adj_matrix = adjacency_matrix


def draw(*arguments, **options):
    return None


from_numpy_array = from_numpy_matrix = from_scipy_sparse_array = from_scipy_sparse_matrix = _graph
LCF_graph = LFR_benchmark_graph = adjacency_graph = barabasi_albert_graph = barbell_graph = binomial_graph = bull_graph = _graph
caveman_graph = chordal_cycle_graph = chvatal_graph = circulant_graph = circular_ladder_graph = complement = _graph
complete_bipartite_graph = complete_graph = complete_multipartite_graph = complete_to_chordal_graph = _graph
connected_caveman_graph = connected_watts_strogatz_graph = cubical_graph = cycle_graph = cytoscape_graph = _graph
davis_southern_women_graph = dense_gnm_random_graph = desargues_graph = diamond_graph = directed_havel_hakimi_graph = _graph
directed_joint_degree_graph = disjoint_union = dodecahedral_graph = dorogovtsev_goltsev_mendes_graph = _graph
dual_barabasi_albert_graph = duplication_divergence_graph = ego_graph = empty_graph = erdos_renyi_graph = _graph
expected_degree_graph = extended_barabasi_albert_graph = fast_gnp_random_graph = florentine_families_graph = freeze = _graph
from_dict_of_lists = from_pandas_edgelist = frucht_graph = gaussian_random_partition_graph = _graph
general_random_intersection_graph = generalized_petersen_graph = geographical_threshold_graph = _graph
geometric_soft_configuration_graph = gn_graph = gnc_graph = gnm_random_graph = gnp_random_graph = gnr_graph = grid_2d_graph = _graph
grid_graph = havel_hakimi_graph = heawood_graph = hexagonal_lattice_graph = hkn_harary_graph = hnm_harary_graph = _graph
hoffman_singleton_graph = house_graph = house_x_graph = hypercube_graph = icosahedral_graph = induced_subgraph = _graph
interval_graph = inverse_line_graph = joint_degree_graph = k_random_intersection_graph = karate_club_graph = kneser_graph = _graph
krackhardt_kite_graph = ladder_graph = les_miserables_graph = line_graph = lollipop_graph = make_max_clique_graph = _graph
margulis_gabber_galil_graph = maximum_spanning_tree = maybe_regular_expander_graph = minimum_spanning_tree = _graph
moebius_kantor_graph = moral_graph = mycielski_graph = navigable_small_world_graph = newman_watts_strogatz_graph = _graph
node_link_graph = null_graph = octahedral_graph = paley_graph = pappus_graph = partial_duplication_graph = path_graph = _graph
petersen_graph = planted_partition_graph = powerlaw_cluster_graph = projected_graph = quotient_graph = _graph
random_clustered_graph = random_degree_sequence_graph = random_geometric_graph = random_internet_as_graph = _graph
random_k_out_graph = random_kernel_graph = random_lobster_graph = random_partition_graph = random_regular_expander_graph = _graph
random_regular_graph = random_shell_graph = read_adjlist = read_gexf = read_gml = read_graph6 = read_graphml = read_leda = _graph
read_multiline_adjlist = read_pajek = read_sparse6 = read_weighted_edgelist = relabel_gexf_graph = relaxed_caveman_graph = _graph
scale_free_graph = sedgewick_maze_graph = soft_random_geometric_graph = star_graph = stochastic_graph = sudoku_graph = _graph
tadpole_graph = tetrahedral_graph = thresholded_random_geometric_graph = to_networkx_graph = tree_graph = triad_graph = _graph
triangular_lattice_graph = trivial_graph = truncated_cube_graph = truncated_tetrahedron_graph = turan_graph = tutte_graph = _graph
uniform_random_intersection_graph = union = visibility_graph = watts_strogatz_graph = waxman_graph = wheel_graph = _graph
windmill_graph = _graph
draw_bipartite = draw_circular = draw_forceatlas2 = draw_kamada_kawai = draw_networkx_edge_labels = draw_networkx_edges = draw
draw_networkx_labels = draw_networkx_nodes = draw_planar = draw_random = draw_shell = draw_spectral = draw_spring = draw
draw_networkx = draw
adamic_adar_index = add_cycle = add_path = add_star = adjacency_data = adjacency_spectrum = algebraic_connectivity = _known
all_neighbors = all_node_cuts = all_pairs_all_shortest_paths = all_pairs_bellman_ford_path = _known
all_pairs_bellman_ford_path_length = all_pairs_dijkstra = all_pairs_dijkstra_path = all_pairs_dijkstra_path_length = _known
all_pairs_lowest_common_ancestor = all_pairs_node_connectivity = all_pairs_shortest_path = all_pairs_shortest_path_length = _known
all_shortest_paths = all_simple_edge_paths = all_simple_paths = all_topological_sorts = all_triads = all_triangles = _known
ancestors = antichains = apply_matplotlib_colors = approximate_current_flow_betweenness_centrality = arf_layout = _known
articulation_points = astar_path = astar_path_length = attr_matrix = attr_sparse_matrix = attracting_components = _known
attribute_assortativity_coefficient = attribute_mixing_dict = attribute_mixing_matrix = average_clustering = _known
average_degree_connectivity = average_neighbor_degree = average_node_connectivity = average_shortest_path_length = _known
balanced_tree = barycenter = bellman_ford_path = bellman_ford_path_length = bellman_ford_predecessor_and_distance = _known
bethe_hessian_matrix = bethe_hessian_spectrum = betweenness_centrality = betweenness_centrality_subset = bfs_beam_edges = _known
bfs_edges = bfs_labeled_edges = bfs_layers = bfs_layout = bfs_predecessors = bfs_successors = bfs_tree = _known
biconnected_component_edges = biconnected_components = bidirectional_dijkstra = bidirectional_shortest_path = binomial_tree = _known
bipartite_layout = boundary_expansion = bridges = capacity_scaling = cartesian_product = cd_index = center = _known
chain_decomposition = check_planarity = chordal_graph_cliques = chordal_graph_treewidth = chordless_cycles = _known
chromatic_polynomial = circular_layout = closeness_centrality = closeness_vitality = clustering = cn_soundarajan_hopcroft = _known
combinatorial_embedding_to_pos = common_neighbor_centrality = common_neighbors = communicability = _known
communicability_betweenness_centrality = communicability_exp = compose_all = condensation = conductance = _known
configuration_model = connected_components = connected_dominating_set = connected_double_edge_swap = constraint = _known
contracted_edge = contracted_nodes = core_number = corona_product = cost_of_flow = could_be_isomorphic = create_empty_copy = _known
current_flow_betweenness_centrality = current_flow_betweenness_centrality_subset = current_flow_closeness_centrality = _known
cut_size = cycle_basis = cytoscape_data = dag_longest_path = dag_longest_path_length = dag_to_branching = dedensify = degree = _known
degree_assortativity_coefficient = degree_centrality = degree_histogram = degree_mixing_dict = degree_mixing_matrix = _known
degree_pearson_correlation_coefficient = degree_sequence_tree = density = descendants = descendants_at_distance = describe = _known
dfs_edges = dfs_labeled_edges = dfs_postorder_nodes = dfs_predecessors = dfs_preorder_nodes = dfs_successors = dfs_tree = _known
diameter = difference = dijkstra_path = dijkstra_path_length = dijkstra_predecessor_and_distance = _known
directed_combinatorial_laplacian_matrix = directed_configuration_model = directed_edge_swap = directed_laplacian_matrix = _known
directed_modularity_matrix = disjoint_union_all = dispersion = display = dominance_frontiers = dominating_set = _known
double_edge_swap = eccentricity = edge_betweenness_centrality = edge_betweenness_centrality_subset = edge_bfs = _known
edge_boundary = edge_connectivity = edge_current_flow_betweenness_centrality = _known
edge_current_flow_betweenness_centrality_subset = edge_dfs = edge_disjoint_paths = edge_expansion = edge_load_centrality = _known
edge_subgraph = edges = effective_graph_resistance = effective_size = efficiency = eigenvector_centrality = _known
eigenvector_centrality_numpy = enumerate_all_cliques = equitable_color = equivalence_classes = estrada_index = _known
eulerian_circuit = eulerian_path = eulerize = fast_could_be_isomorphic = faster_could_be_isomorphic = fiedler_vector = _known
find_asteroidal_triple = find_cliques = find_cliques_recursive = find_cycle = find_induced_nodes = find_minimal_d_separator = _known
find_negative_cycle = flow_hierarchy = floyd_warshall = floyd_warshall_numpy = floyd_warshall_predecessor_and_distance = _known
forceatlas2_layout = from_dict_of_dicts = from_graph6_bytes = from_nested_tuple = from_pandas_adjacency = _known
from_prufer_sequence = from_sparse6_bytes = fruchterman_reingold_layout = full_join = full_rary_tree = generalized_degree = _known
generate_adjlist = generate_edgelist = generate_gexf = generate_gml = generate_graphml = generate_multiline_adjlist = _known
generate_network_text = generate_pajek = generate_random_paths = generic_bfs_edges = geometric_edges = get_edge_attributes = _known
get_node_attributes = girth = global_efficiency = global_parameters = global_reaching_centrality = goldberg_radzik = _known
gomory_hu_tree = google_matrix = graph_atlas = graph_atlas_g = graph_edit_distance = greedy_color = _known
group_betweenness_centrality = group_closeness_centrality = group_degree_centrality = group_in_degree_centrality = _known
group_out_degree_centrality = gutman_index = harmonic_centrality = harmonic_diameter = has_bridges = has_eulerian_path = _known
has_path = hits = hyper_wiener_index = identified_nodes = immediate_dominators = in_degree_centrality = incidence_matrix = _known
incremental_closeness_centrality = information_centrality = intersection = intersection_all = intersection_array = _known
is_aperiodic = is_arborescence = is_at_free = is_attracting_component = is_biconnected = is_bipartite = is_branching = _known
is_chordal = is_connected = is_connected_dominating_set = is_d_separator = is_digraphical = is_directed = _known
is_directed_acyclic_graph = is_distance_regular = is_dominating_set = is_edge_cover = is_empty = is_eulerian = is_forest = _known
is_frozen = is_graphical = is_isolate = is_isomorphic = is_k_edge_connected = is_k_regular = is_kl_connected = is_matching = _known
is_maximal_matching = is_minimal_d_separator = is_multigraphical = is_negatively_weighted = is_path = is_perfect_graph = _known
is_perfect_matching = is_planar = is_pseudographical = is_regular = is_regular_expander = is_semiconnected = is_semieulerian = _known
is_simple_path = is_strongly_connected = is_strongly_regular = is_tournament = is_tree = is_triad = _known
is_valid_degree_sequence_erdos_gallai = is_valid_degree_sequence_havel_hakimi = is_valid_directed_joint_degree = _known
is_valid_joint_degree = is_weakly_connected = is_weighted = isolates = jaccard_coefficient = johnson = join_trees = _known
junction_tree = k_components = k_core = k_corona = k_crust = k_edge_augmentation = k_edge_components = k_edge_subgraphs = _known
k_factor = k_shell = k_truss = kamada_kawai_layout = katz_centrality = katz_centrality_numpy = kemeny_constant = _known
kl_connected_subgraph = kosaraju_strongly_connected_components = laplacian_centrality = laplacian_spectrum = _known
lattice_reference = lexicographic_product = lexicographical_topological_sort = load_centrality = local_bridges = _known
local_constraint = local_efficiency = local_reaching_centrality = lowest_common_ancestor = make_clique_bipartite = _known
max_flow_min_cost = max_weight_clique = max_weight_matching = maximal_independent_set = maximal_matching = maximum_branching = _known
maximum_flow = maximum_flow_value = maximum_spanning_arborescence = maximum_spanning_edges = maybe_regular_expander = _known
min_cost_flow = min_cost_flow_cost = min_edge_cover = min_weight_matching = minimum_branching = minimum_cut = _known
minimum_cut_value = minimum_cycle_basis = minimum_edge_cut = minimum_node_cut = minimum_spanning_arborescence = _known
minimum_spanning_edges = mixing_dict = mixing_expansion = modular_product = modularity_matrix = modularity_spectrum = _known
multi_source_dijkstra = multi_source_dijkstra_path = multi_source_dijkstra_path_length = multipartite_layout = mycielskian = _known
negative_edge_cycle = neighbors = network_simplex = node_attribute_xy = node_boundary = node_clique_number = _known
node_connected_component = node_connectivity = node_degree_xy = node_disjoint_paths = node_expansion = node_link_data = _known
nodes = nodes_with_selfloops = non_edges = non_neighbors = non_randomness = nonisomorphic_trees = normalized_cut_size = _known
normalized_laplacian_spectrum = number_attracting_components = number_connected_components = number_of_cliques = _known
number_of_edges = number_of_isolates = number_of_nodes = number_of_nonisomorphic_trees = number_of_selfloops = _known
number_of_spanning_trees = number_of_walks = number_strongly_connected_components = number_weakly_connected_components = _known
numeric_assortativity_coefficient = omega = onion_layers = optimal_edit_paths = optimize_edit_paths = _known
optimize_graph_edit_distance = out_degree_centrality = overall_reciprocity = pagerank = panther_similarity = _known
panther_vector_similarity = parse_adjlist = parse_edgelist = parse_gml = parse_graphml = parse_leda = _known
parse_multiline_adjlist = parse_pajek = partition_spanning_tree = path_weight = percolation_centrality = periphery = _known
planar_layout = power = predecessor = preferential_attachment = prefix_tree = prefix_tree_recursive = prominent_group = _known
ra_index_soundarajan_hopcroft = radius = random_cograph = random_labeled_rooted_forest = random_labeled_rooted_tree = _known
random_labeled_tree = random_layout = random_lobster = random_powerlaw_tree = random_powerlaw_tree_sequence = _known
random_reference = random_spanning_tree = random_unlabeled_rooted_forest = random_unlabeled_rooted_tree = _known
random_unlabeled_tree = reciprocity = reconstruct_path = recursive_simple_cycles = remove_edge_attributes = _known
remove_node_attributes = rescale_layout = rescale_layout_dict = resistance_distance = resource_allocation_index = _known
restricted_view = reverse = reverse_view = rich_club_coefficient = ring_of_cliques = rooted_product = s_metric = _known
schultz_index = second_order_centrality = selfloop_edges = set_edge_attributes = set_node_attributes = shell_layout = _known
shortest_path = shortest_path_length = shortest_simple_paths = sigma = simple_cycles = simrank_similarity = _known
single_source_all_shortest_paths = single_source_bellman_ford = single_source_bellman_ford_path = _known
single_source_bellman_ford_path_length = single_source_dijkstra = single_source_dijkstra_path = _known
single_source_dijkstra_path_length = single_source_shortest_path = single_source_shortest_path_length = _known
single_target_shortest_path = single_target_shortest_path_length = snap_aggregation = spanner = spectral_bisection = _known
spectral_graph_forge = spectral_layout = spectral_ordering = spiral_layout = spring_layout = square_clustering = _known
stochastic_block_model = stoer_wagner = strong_product = strongly_connected_components = subgraph_centrality = _known
subgraph_centrality_exp = subgraph_view = symmetric_difference = tensor_product = to_dict_of_dicts = to_dict_of_lists = _known
to_edgelist = to_graph6_bytes = to_latex = to_latex_raw = to_nested_tuple = to_pandas_adjacency = to_pandas_edgelist = _known
to_prufer_sequence = to_sparse6_bytes = topological_generations = topological_sort = transitive_closure = _known
transitive_closure_dag = transitive_reduction = transitivity = tree_all_pairs_lowest_common_ancestor = tree_broadcast_center = _known
tree_broadcast_time = tree_data = triad_type = triadic_census = triads_by_type = triangles = trophic_differences = _known
trophic_incoherence_parameter = trophic_levels = tutte_polynomial = union_all = vf2pp_all_isomorphisms = vf2pp_is_isomorphic = _known
vf2pp_isomorphism = volume = voronoi_cells = voterank = weakly_connected_components = weisfeiler_lehman_graph_hash = _known
weisfeiler_lehman_subgraph_hashes = wiener_index = within_inter_cluster = write_adjlist = write_edgelist = write_gexf = _known
write_gml = write_graph6 = write_graphml = write_graphml_lxml = write_graphml_xml = write_latex = write_multiline_adjlist = _known
write_network_text = write_pajek = write_sparse6 = write_weighted_edgelist = _known


class NetworkXError(Exception):
    pass


NetworkXNoPath = NodeNotFound = NetworkXNoCycle = NetworkXUnfeasible = NetworkXException = PowerIterationFailedConvergence = NetworkXError


class _Parts:
    def __getattr__(self, name):
        return _known


algorithms = drawing = utils = classes = community = nx_agraph = nx_pydot = _Parts()
