# What a model computes on the way to its result, by the names of its modules.
from torch import nn


class _Extractor(nn.Module):
    def __init__(self, model, nodes):
        super().__init__()
        self._model = model
        self._nodes = nodes

    def __getattr__(self, name):
        return getattr(self._model, name)

    def forward(self, *inputs):
        found = {}
        handles = []
        for node, name in self._nodes.items():
            module = self._model.get_submodule(node)
            keep = lambda module, args, output, name=name: found.__setitem__(name, output)
            handles.append(module.register_forward_hook(keep))
        self._model(*inputs)
        for handle in handles:
            handle.remove()
        return found


def create_feature_extractor(
    model,
    return_nodes=None,
    train_return_nodes=None,
    eval_return_nodes=None,
    tracer_kwargs=None,
    suppress_diff_warning=False,
    concrete_args=None,
):
    nodes = return_nodes if return_nodes is not None else eval_return_nodes
    if not isinstance(nodes, dict):
        nodes = {str(node): str(node) for node in nodes}
    return _Extractor(model, nodes)
