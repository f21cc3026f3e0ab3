# Graphs of the operations that a module or a function does: traced by sending proxies through it, changed node by node, and run again. What looks at
# how a program runs, and what calls for speed, stands in Rust under names that begin with an underscore.
import inspect
import operator

import torch
from torch.fx.node import map_aggregate, map_arg

PH = object()


class Node:
    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users = {}
        self.meta = {}
        self.stack_trace = None
        self._erased = False
        self._args = ()
        self._kwargs = {}
        torch.fx._place(self)
        self._take(args, kwargs)

    def __repr__(self):
        return self.name

    def _take(self, args, kwargs):
        for node in torch.fx._nodes_in(self._args, self._kwargs):
            node.users.pop(self, None)
        self._args = args
        self._kwargs = kwargs
        for node in torch.fx._nodes_in(args, kwargs):
            node.users[self] = None

    @property
    def args(self):
        return self._args

    @args.setter
    def args(self, args):
        self._take(args, self._kwargs)

    @property
    def kwargs(self):
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs):
        self._take(self._args, kwargs)

    @property
    def all_input_nodes(self):
        return torch.fx._nodes_in(self._args, self._kwargs)

    @property
    def next(self):
        nodes = self.graph._nodes
        place = nodes.index(self) + 1
        return nodes[place] if place < len(nodes) else self.graph._root

    @property
    def prev(self):
        place = self.graph._nodes.index(self)
        return self.graph._nodes[place - 1] if place > 0 else self.graph._root

    def append(self, node):
        self.graph._move(node, self, 1)

    def prepend(self, node):
        self.graph._move(node, self, 0)

    def update_arg(self, idx, arg):
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx, arg):
        self.args = self._args[:idx] + (arg,) + self._args[idx:]

    def update_kwarg(self, key, arg):
        self.kwargs = {**self._kwargs, key: arg}

    def replace_all_uses_with(self, replace_with, delete_user_cb=None, *, propagate_meta=False):
        if propagate_meta:
            replace_with.meta.update(self.meta)
        users = [user for user in list(self.users) if delete_user_cb is None or delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def replace_input_with(self, old_input, new_input):
        exchange = lambda node: new_input if node is old_input else node
        self._take(map_arg(self._args, exchange), map_arg(self._kwargs, exchange))

    def format_node(self, placeholder_names=None, maybe_return_typename=None):
        return torch.fx._text()

    def is_impure(self, impure_random=True):
        if self.op in ("placeholder", "output"):
            return True
        return self.op == "call_function" and self.target in (torch._assert, operator.setitem)

    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        return torch.fx._unknown()


class _InsertPoint:
    def __init__(self, graph, node, offset):
        self.graph = graph
        self.point = (node, offset)
        self.before = graph._point
        graph._point = self.point

    def __enter__(self):
        return None

    def __exit__(self, kind, value, traceback):
        self.graph._point = self.before


class Graph:
    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self.owning_module = owning_module
        self._nodes = []
        self._names = {}
        self._point = None
        self._tracer_cls = tracer_cls
        self._codegen = None
        self._root = Node(self, "", "root", "", (), {})

    @property
    def nodes(self):
        return list(self._nodes)

    def _move(self, node, other, offset):
        if node is other:
            return
        if node in self._nodes:
            self._nodes.remove(node)
        self._insert(node, other, offset)

    def _insert(self, node, other, offset):
        if other is self._root:
            # Behind the root is the beginning, and before it the end.
            self._nodes.insert(0 if offset else len(self._nodes), node)
        else:
            self._nodes.insert(self._nodes.index(other) + offset, node)

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        chosen = torch.fx._fresh_name(self._names, target if name is None else name)
        node = Node(self, chosen, op, target, args or (), kwargs or {}, type_expr)
        if self._point is None:
            self._nodes.append(node)
        else:
            other, offset = self._point
            self._insert(node, other, offset)
            if offset:
                # The next one comes behind this one.
                self._point = (node, 1)
        return node

    def placeholder(self, name, type_expr=None, default_value=inspect.Signature.empty):
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result, type_expr=None):
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def output_node(self):
        return self._nodes[-1]

    def find_nodes(self, *, op, target=None, sort=True):
        return [
            node
            for node in self._nodes
            if node.op == op and (target is None or op != "call_function" or node.target == target)
        ]

    def erase_node(self, to_erase):
        if len(to_erase.users) > 0:
            raise RuntimeError("Tried to erase a node that still has users in the graph")
        if to_erase._erased:
            return
        self._nodes.remove(to_erase)
        to_erase._erased = True
        nothing = lambda node: None
        to_erase._take(map_arg(to_erase._args, nothing), map_arg(to_erase._kwargs, nothing))

    def inserting_before(self, n=None):
        return _InsertPoint(self, self._root, 1) if n is None else _InsertPoint(self, n, 0)

    def inserting_after(self, n=None):
        return _InsertPoint(self, self._root, 0) if n is None else _InsertPoint(self, n, 1)

    def node_copy(self, node, arg_transform=lambda x: x):
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = dict(node.meta)
        return copied

    def graph_copy(self, g, val_map, return_output_node=False):
        copied = lambda node: val_map[node]
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], copied)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, copied)
        return None

    def __deepcopy__(self, memo=None):
        copied = Graph(tracer_cls=self._tracer_cls)
        values = {}
        result, output = copied.graph_copy(self, values, return_output_node=True)
        node = copied.output(result)
        node.meta = dict(output.meta)
        return copied

    def eliminate_dead_code(self, is_impure_node=None):
        changed = False
        for node in reversed(self.nodes):
            is_impure = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not is_impure and len(node.users) == 0:
                self.erase_node(node)
                changed = True
        return changed

    def lint(self, root=None):
        return None

    def print_tabular(self):
        return None

    def python_code(self, root_module, *, verbose=False, include_stride=False, include_device=False, colored=False):
        return torch.fx._unknown()

    def process_inputs(self, *args):
        return args

    def process_outputs(self, out):
        return out

    def set_codegen(self, codegen):
        self._codegen = codegen

    def on_generate_code(self, make_transformer):
        return torch.fx._unknown()

    def __str__(self):
        return torch.fx._text()


class TraceError(ValueError):
    pass


class TracerBase:
    record_stack_traces = False
    traced_func_name = "forward"
    trace_asserts = False
    proxy_buffer_attributes = False
    # What a tracer has before it traces anything.
    graph = torch.fx._unknown_graph()
    root = torch.fx._unknown()
    submodule_paths = None
    scope = torch.fx._unknown()
    module_stack = {}

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node):
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a):
        is_done, argument = torch.fx._converted(a)
        if is_done:
            return argument
        if isinstance(a, tuple):
            return tuple([self.create_arg(item) for item in a])
        if isinstance(a, list):
            return [self.create_arg(item) for item in a]
        if isinstance(a, dict):
            return {key: self.create_arg(item) for key, item in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        return a

    def iter(self, obj):
        raise TraceError("Proxy object cannot be iterated")

    def keys(self, obj):
        return Attribute(obj, "keys")()

    def to_bool(self, obj):
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")


class GraphAppendingTracer(TracerBase):
    def __init__(self, graph):
        self.graph = graph


class Tracer(TracerBase):
    def __init__(self, autowrap_modules=(), autowrap_functions=(), param_shapes_constant=False):
        self._constants = 0

    def create_arg(self, a):
        is_done, argument = torch.fx._converted(a)
        if is_done:
            return argument
        if isinstance(a, torch.Tensor):
            return self.create_node("get_attr", self._name_of(a), (), {})
        if isinstance(a, torch.nn.Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def _name_of(self, tensor):
        for path, module in self.root.named_modules():
            name = torch.fx._attribute_holding(module, tensor)
            if name is not None:
                return f"{path}.{name}" if path else name
        name = self.get_fresh_qualname("_tensor_constant")
        setattr(self.root, name, tensor)
        return name

    def get_fresh_qualname(self, prefix):
        count = 0
        while hasattr(self.root, f"{prefix}{count}"):
            count += 1
        return f"{prefix}{count}"

    def is_leaf_module(self, m, module_qualified_name):
        return torch.fx._is_layer(m)

    def path_of_module(self, mod):
        if self.submodule_paths is None:
            return torch.fx._text()
        if mod not in self.submodule_paths:
            raise NameError("module is not installed as a submodule")
        return self.submodule_paths[mod]

    def call_module(self, m, forward, args, kwargs):
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return torch.fx._call(forward, args, kwargs)

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        return attr_val

    def _placeholder(self, name, default, concrete_args):
        if concrete_args is None or name not in concrete_args:
            return self.create_proxy("placeholder", name, default, {})
        placeholder = self.create_proxy("placeholder", f"{name}_1", default, {})
        value = concrete_args[name]
        return placeholder if value is PH else value

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        parameters = torch.fx._parameters_of(root_fn, is_module)
        if isinstance(concrete_args, tuple):
            concrete_args = dict(zip([name for name, _, _ in parameters], concrete_args))
        args = [self.root] if is_module else []
        named = {}
        for name, kind, default in parameters:
            value = self._placeholder(name, default, concrete_args)
            if kind == "plain":
                args.append(value)
            elif kind == "keyword":
                named[name] = value
        if not named:
            return root_fn, args
        return lambda *given: root_fn(*given, **named), args

    def trace(self, root, concrete_args=None):
        if not torch.fx._can_follow(root):
            self.root = root
            self.graph = torch.fx._unknown_graph()
            return self.graph
        is_module = isinstance(root, torch.nn.Module)
        self.root = root if is_module else torch.nn.Module()
        if is_module:
            self.submodule_paths = {module: path for path, module in root.named_modules()}
        self.graph = Graph(tracer_cls=type(self))
        function = torch.fx._root_function(root, self.traced_func_name)
        function, args = self.create_args_for_root(function, is_module, concrete_args)
        if not torch.fx._trace(self, self._finish, function, args, _wrapped):
            self.graph = torch.fx._unknown_graph()
        return self.graph

    def _finish(self, function, args):
        result = torch.fx._call(function, args, {})
        self.create_node("output", "output", (self.create_arg(result),), {})


class Proxy:
    def __init__(self, node, tracer=None):
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, name):
        return Attribute(self, name)

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self,) + args, kwargs)

    def __iter__(self):
        return self.tracer.iter(self)

    def __bool__(self):
        return self.tracer.to_bool(self)

    def __len__(self):
        raise RuntimeError("'len' is not supported in symbolic tracing by default")

    def keys(self):
        return self.tracer.keys(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", abs, (self,), {})

    @classmethod
    def __torch_function__(cls, orig_method, types, args=(), kwargs=None):
        tracer = torch.fx._proxy_in(args, kwargs).tracer
        method = torch.fx._method_of_tensors(orig_method)
        kind, target = ("call_function", orig_method) if method is None else ("call_method", method)
        return tracer.create_proxy(kind, target, args, kwargs or {})

    def _operation(self, target, *args):
        return self.tracer.create_proxy("call_function", target, args, {})

    def __add__(self, other):
        return self._operation(operator.add, self, other)

    def __radd__(self, other):
        return self._operation(operator.add, other, self)

    def __sub__(self, other):
        return self._operation(operator.sub, self, other)

    def __rsub__(self, other):
        return self._operation(operator.sub, other, self)

    def __mul__(self, other):
        return self._operation(operator.mul, self, other)

    def __rmul__(self, other):
        return self._operation(operator.mul, other, self)

    def __truediv__(self, other):
        return self._operation(operator.truediv, self, other)

    def __rtruediv__(self, other):
        return self._operation(operator.truediv, other, self)

    def __floordiv__(self, other):
        return self._operation(operator.floordiv, self, other)

    def __rfloordiv__(self, other):
        return self._operation(operator.floordiv, other, self)

    def __mod__(self, other):
        return self._operation(operator.mod, self, other)

    def __rmod__(self, other):
        return self._operation(operator.mod, other, self)

    def __pow__(self, other):
        return self._operation(operator.pow, self, other)

    def __rpow__(self, other):
        return self._operation(operator.pow, other, self)

    def __matmul__(self, other):
        return self._operation(operator.matmul, self, other)

    def __rmatmul__(self, other):
        return self._operation(operator.matmul, other, self)

    def __and__(self, other):
        return self._operation(operator.and_, self, other)

    def __rand__(self, other):
        return self._operation(operator.and_, other, self)

    def __or__(self, other):
        return self._operation(operator.or_, self, other)

    def __ror__(self, other):
        return self._operation(operator.or_, other, self)

    def __xor__(self, other):
        return self._operation(operator.xor, self, other)

    def __rxor__(self, other):
        return self._operation(operator.xor, other, self)

    def __lshift__(self, other):
        return self._operation(operator.lshift, self, other)

    def __rshift__(self, other):
        return self._operation(operator.rshift, self, other)

    def __getitem__(self, key):
        return self._operation(operator.getitem, self, key)

    def __neg__(self):
        return self._operation(operator.neg, self)

    def __pos__(self):
        return self._operation(operator.pos, self)

    def __invert__(self):
        return self._operation(operator.invert, self)

    def __eq__(self, other):
        return self._operation(operator.eq, self, other)

    def __ne__(self, other):
        return self._operation(operator.ne, self, other)

    def __lt__(self, other):
        return self._operation(operator.lt, self, other)

    def __le__(self, other):
        return self._operation(operator.le, self, other)

    def __gt__(self, other):
        return self._operation(operator.gt, self, other)

    def __ge__(self, other):
        return self._operation(operator.ge, self, other)


class Attribute(Proxy):
    def __init__(self, root, attr):
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node = None

    @property
    def node(self):
        # A method that is called is no node of its own.
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root,) + args, kwargs)


def _layer(module, args, kwargs):
    # What the `forward` of a module of PyTorch's does with proxies: one function.
    proxy = torch.fx._proxy_in(args, kwargs)
    if isinstance(module, torch.nn.ReLU):
        return torch.nn.functional.relu(*args, inplace=False, **kwargs)
    if isinstance(module, torch.nn.LeakyReLU):
        return torch.nn.functional.leaky_relu(*args, negative_slope=module.negative_slope, inplace=False, **kwargs)
    if isinstance(module, torch.nn.Sigmoid):
        return torch.sigmoid(*args, **kwargs)
    if isinstance(module, torch.nn.Tanh):
        return torch.tanh(*args, **kwargs)
    return proxy.tracer.create_proxy("call_function", module, args, kwargs)


def _copy_attribute(root, to, target):
    *path, name = target.split(".")
    for part in path:
        root = getattr(root, part)
        below = getattr(to, part, None)
        if below is root:
            return
        if below is None:
            below = torch.nn.Module()
            setattr(to, part, below)
        to = below
    if not hasattr(to, name):
        setattr(to, name, getattr(root, name))


class GraphModule(torch.nn.Module):
    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        self._graph = graph
        self._lines = None
        if not torch.fx._is_known(graph):
            return
        targets = {node.target: None for node in graph._nodes if node.op in ("get_attr", "call_module")}
        if isinstance(root, dict):
            source = torch.nn.Module()
            for target in sorted(targets, key=lambda target: target.count(".")):
                _copy_attribute(torch.fx._nested(target, root[target]), self, target)
        else:
            self.training = root.training
            for target in targets:
                _copy_attribute(root, self, target)
        graph.owning_module = self
        self.recompile()

    @property
    def graph(self):
        return self._graph

    @graph.setter
    def graph(self, graph):
        self._graph = graph
        if torch.fx._is_known(graph):
            graph.owning_module = self
            self.recompile()

    @property
    def code(self):
        return torch.fx._text()

    def recompile(self):
        if torch.fx._is_known(self._graph):
            self._lines = torch.fx._lines(self._graph._nodes)

    def forward(self, *args, **kwargs):
        return torch.fx._run(self, self._lines, args, kwargs)

    def add_submodule(self, target, m):
        *path, name = target.split(".")
        module = self
        for part in path:
            if not hasattr(module, part):
                setattr(module, part, torch.nn.Module())
            module = getattr(module, part)
        setattr(module, name, m)
        return True

    def delete_submodule(self, target):
        *path, name = target.split(".")
        module = self
        for part in path:
            if not hasattr(module, part):
                return False
            module = getattr(module, part)
        if not hasattr(module, name):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self):
        return None

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False):
        return torch.fx._text()

    def to_folder(self, folder, module_name="FxModule"):
        return None


def symbolic_trace(root, concrete_args=None):
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    if not torch.fx._is_known(graph):
        return torch.fx._as_it_is(root)
    return GraphModule(tracer.root, graph)


_wrapped = []


def wrap(fn_or_name):
    # Calls of the function by its name in the module that calls this become nodes while something is traced.
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    _wrapped.append((torch.fx._calling_module(), name))
    return fn_or_name


def _wrapper(function):
    def call(*args, **kwargs):
        proxy = torch.fx._proxy_in(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", function, args, kwargs)

    return call


class Interpreter:
    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.graph = module.graph if graph is None else graph
        self.env = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values

    def run(self, *args, initial_env=None, enable_io_processing=True):
        self.env = {} if initial_env is None else initial_env
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node not in self.env:
                self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]

    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def fetch_args_kwargs_from_env(self, n):
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n):
        return map_arg(args, lambda node: self.env[node])

    def fetch_attr(self, target):
        value = self.module
        for part in target.split("."):
            value = getattr(value, part)
        return value

    def placeholder(self, target, args, kwargs):
        if target.startswith("*"):
            return list(self.args_iter)
        return next(self.args_iter, *args)

    def get_attr(self, target, args, kwargs):
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target, args, kwargs):
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        return args[0]


class _TransformerTracer(Tracer):
    def __init__(self, graph, root):
        super().__init__()
        self.graph = graph
        self.root = root
        self.submodule_paths = {module: path for path, module in root.named_modules()}

    def is_leaf_module(self, m, module_qualified_name):
        return True


class Transformer(Interpreter):
    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = _TransformerTracer(self.new_graph, module)

    def placeholder(self, target, args, kwargs):
        return Proxy(self.new_graph.create_node("placeholder", target, args), self.tracer)

    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def call_function(self, target, args, kwargs):
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self):
        result = self.run()
        if result is not None:
            self.new_graph.output(self.tracer.create_arg(result))
        return GraphModule(self.module, self.new_graph)


class Match:
    def __init__(self, anchor, nodes_map):
        self.anchor = anchor
        self.nodes_map = nodes_map


class ReplacedPatterns(Match):
    def __init__(self, anchor, nodes_map, replacements):
        super().__init__(anchor, nodes_map)
        self.replacements = replacements


def _graph_of(pattern):
    if isinstance(pattern, Graph):
        return pattern
    return pattern.graph if isinstance(pattern, GraphModule) else symbolic_trace(pattern).graph


def _matches(pattern, node, found):
    # Whether a node does what one of the pattern does, and what comes before it too; `found` gets which node stands for which.
    if not isinstance(pattern, Node) or not isinstance(node, Node):
        if isinstance(pattern, Node):
            if pattern.op != "placeholder":
                return False
            found[pattern] = node
            return True
        if isinstance(pattern, (list, tuple)) and isinstance(node, (list, tuple)):
            return _all_match(pattern, node, found)
        return not isinstance(node, Node) and pattern == node
    if pattern in found:
        return found[pattern] is node
    if pattern.op == "placeholder":
        found[pattern] = node
        return True
    if pattern.op != node.op or (pattern.op != "output" and pattern.target != node.target):
        return False
    found[pattern] = node
    if list(pattern.kwargs) != list(node.kwargs):
        return False
    values = list(pattern.kwargs.values()), list(node.kwargs.values())
    return _all_match(pattern.args, node.args, found) and _all_match(values[0], values[1], found)


def _all_match(patterns, nodes, found):
    if len(patterns) != len(nodes):
        return False
    for pattern, node in zip(patterns, nodes):
        if not _matches(pattern, node, found):
            return False
    return True


def _is_used_elsewhere(found, returned):
    inner = [node for pattern, node in found.items() if pattern.op != "placeholder"]
    for pattern, node in found.items():
        if pattern.op == "placeholder" or pattern in returned:
            continue
        for user in node.users:
            if user not in inner:
                return True
    return False


def _find_matches(graph, pattern):
    returned = pattern.nodes[-1].all_input_nodes
    anchors = [node for node in returned if len(node.users) == 1]
    matches = []
    taken = []
    for node in graph.nodes:
        found = {}
        if len(anchors) != 1 or not _matches(anchors[0], node, found) or _is_used_elsewhere(found, returned):
            continue
        inner = [node for pattern, node in found.items() if pattern.op != "placeholder"]
        if any(node in taken for node in inner):
            continue
        taken.extend(inner)
        matches.append((anchors[0], found))
    return matches


def _replace_match(graph, pattern, replacement, found, changed):
    values = {}
    placeholders = [node for node in pattern.nodes if node.op == "placeholder"]
    for old, new in zip(placeholders, [node for node in replacement.nodes if node.op == "placeholder"]):
        node = found[old]
        values[new] = changed.get(node, node) if isinstance(node, Node) else node
    given = list(values.values())
    returned = [found[node] for node in pattern.nodes[-1].all_input_nodes]
    users = [user for node in returned for user in node.users]
    first = [node for node in graph.nodes if node in users][0] if users else graph.nodes[-1]
    with graph.inserting_before(first):
        result = graph.graph_copy(replacement, values)
    for node, copied in zip(returned, result if isinstance(result, (list, tuple)) else [result]):
        node.replace_all_uses_with(copied)
        changed[node] = copied
    for node in reversed(pattern.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(found[node])
    return [node for node in values.values() if isinstance(node, Node) and node not in given]


def _replace(gm, pattern, replacement):
    pattern_graph = _graph_of(pattern)
    replacement_graph = _graph_of(replacement)
    replaced = []
    changed = {}
    for anchor, found in _find_matches(gm.graph, pattern_graph):
        made = _replace_match(gm.graph, pattern_graph, replacement_graph, found, changed)
        replaced.append(ReplacedPatterns(anchor, found, made))
    if isinstance(replacement, torch.nn.Module):
        for node in replacement_graph.nodes:
            if node.op in ("get_attr", "call_module"):
                _copy_attribute(replacement, gm, node.target)
    gm.recompile()
    return replaced


def replace_pattern(gm, pattern, replacement):
    if not torch.fx._is_known(gm) or not torch.fx._is_known(gm.graph):
        return torch.fx._forget(gm)
    return [Match(each.anchor, each.nodes_map) for each in _replace(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm, pattern, replacement=None, match_filters=None, ignore_literals=False, replacement_callback=None
):
    is_known = torch.fx._is_known(gm) and torch.fx._is_known(gm.graph)
    if not is_known or match_filters is not None or ignore_literals or replacement_callback is not None:
        return torch.fx._forget(gm)
    return _replace(gm, pattern, replacement)
