# The trainer of Transformers, as far as tensors go through it: batches of the data set by the collator, a step of the model on each, and
# what the user overrides of that.
import collections

import numpy as np
import torch
from torch.utils.data import DataLoader, SequentialSampler

from transformers.training_args import TrainingArguments

EvalPrediction = collections.namedtuple("EvalPrediction", ["predictions", "label_ids"])
TrainOutput = collections.namedtuple("TrainOutput", ["global_step", "training_loss", "metrics"])
PredictionOutput = collections.namedtuple("PredictionOutput", ["predictions", "label_ids", "metrics"])

_OF_LABELS = ("label", "label_ids")


def default_data_collator(features, return_tensors="pt"):
    first = features[0]
    batch = {}
    for name in _OF_LABELS:
        if name in first and first[name] is not None:
            batch["labels"] = _joined([feature[name] for feature in features])
    for name, value in first.items():
        if name not in _OF_LABELS and value is not None and not isinstance(value, str):
            batch[name] = _joined([feature[name] for feature in features])
    return batch


def _joined(values):
    if torch.is_tensor(values[0]):
        return torch.stack(values)
    if isinstance(values[0], np.ndarray):
        return torch.from_numpy(np.stack(values))
    return torch.tensor(values)


class Trainer:
    def __init__(self, model=None, args=None, data_collator=None, train_dataset=None, eval_dataset=None, processing_class=None,
                 model_init=None, compute_loss_func=None, compute_metrics=None, callbacks=None, optimizers=(None, None),
                 optimizer_cls_and_kwargs=None, preprocess_logits_for_metrics=None, tokenizer=None):
        self.args = args if args is not None else TrainingArguments("tmp_trainer")
        self.model_init = model_init
        self.model = model if model is not None else model_init()
        self.model_wrapped = self.model
        self.data_collator = data_collator if data_collator is not None else default_data_collator
        self.train_dataset, self.eval_dataset = train_dataset, eval_dataset
        self.processing_class = self.tokenizer = processing_class if processing_class is not None else tokenizer
        self.compute_loss_func, self.compute_metrics = compute_loss_func, compute_metrics
        self.preprocess_logits_for_metrics = preprocess_logits_for_metrics
        self.callbacks = callbacks
        self.optimizer, self.lr_scheduler = optimizers
        self.label_names = self.args.label_names if self.args.label_names is not None else ["labels"]

    def add_callback(self, callback):
        pass

    def log(self, logs, start_time=None):
        pass

    def log_metrics(self, split, metrics):
        pass

    def save_metrics(self, split, metrics, combined=True):
        pass

    def save_state(self):
        pass

    def save_model(self, output_dir=None, _internal_call=False):
        pass

    def push_to_hub(self, commit_message=None, **options):
        pass

    def is_world_process_zero(self):
        return True

    def create_optimizer(self, model=None):
        if self.optimizer is None:
            self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.args.learning_rate)
        return self.optimizer

    def create_scheduler(self, num_training_steps, optimizer=None):
        return self.lr_scheduler

    def create_optimizer_and_scheduler(self, num_training_steps):
        self.create_optimizer()
        self.create_scheduler(num_training_steps, self.optimizer)

    def get_train_dataloader(self):
        return DataLoader(self.train_dataset, batch_size=self.args.train_batch_size, collate_fn=self.data_collator,
                          drop_last=self.args.dataloader_drop_last)

    def get_eval_dataloader(self, eval_dataset=None):
        data = eval_dataset if eval_dataset is not None else self.eval_dataset
        return DataLoader(data, batch_size=self.args.eval_batch_size, collate_fn=self.data_collator,
                          drop_last=self.args.dataloader_drop_last)

    def get_test_dataloader(self, test_dataset):
        return self.get_eval_dataloader(test_dataset)

    def _prepare_inputs(self, inputs):
        return inputs

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        if self.compute_loss_func is not None:
            labels = inputs.pop("labels") if "labels" in inputs else None
            outputs = model(**inputs)
            loss = self.compute_loss_func(outputs, labels, num_items_in_batch=num_items_in_batch)
        else:
            outputs = model(**inputs)
            loss = outputs["loss"] if isinstance(outputs, dict) else outputs[0]
        return (loss, outputs) if return_outputs else loss

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        loss = self.compute_loss(model, self._prepare_inputs(inputs), num_items_in_batch=num_items_in_batch)
        if loss.dim() > 0:
            loss = loss.mean()
        loss.backward()
        return loss.detach()

    def train(self, resume_from_checkpoint=None, trial=None, ignore_keys_for_eval=None, **options):
        loader = self.get_train_dataloader()
        self.create_optimizer()
        total = torch.tensor(0.0)
        for inputs in loader:
            total = total + self.training_step(self.model, inputs)
            self.optimizer.step()
            self.model.zero_grad()
        return TrainOutput(0, total.item(), {})

    @torch.no_grad()
    def prediction_step(self, model, inputs, prediction_loss_only, ignore_keys=None):
        labels = inputs["labels"] if "labels" in inputs else None
        inputs = self._prepare_inputs(inputs)
        if labels is not None:
            loss, outputs = self.compute_loss(model, dict(inputs), return_outputs=True)
        else:
            loss, outputs = None, model(**inputs)
        if isinstance(outputs, dict):
            logits = tuple(value for name, value in outputs.items() if name != "loss")
        else:
            logits = tuple(outputs[1:]) if labels is not None else outputs
        if isinstance(logits, tuple) and len(logits) == 1:
            logits = logits[0]
        return loss, logits, labels

    def _evaluated(self, loader):
        model = self.model
        model.eval()
        predictions, references = [], []
        logits = labels = None
        for inputs in loader:
            loss, logits, labels = self.prediction_step(model, inputs, self.compute_metrics is None)
            if self.preprocess_logits_for_metrics is not None:
                logits = self.preprocess_logits_for_metrics(logits, labels)
            if torch.is_tensor(logits):
                predictions.append(logits.numpy())
            if torch.is_tensor(labels):
                references.append(labels.numpy())
        given = np.concatenate(predictions) if torch.is_tensor(logits) else logits
        wanted = np.concatenate(references) if torch.is_tensor(labels) else labels
        metrics = {}
        if self.compute_metrics is not None:
            metrics = self.compute_metrics(EvalPrediction(given, wanted))
        return given, wanted, metrics

    def evaluate(self, eval_dataset=None, ignore_keys=None, metric_key_prefix="eval"):
        metrics = self._evaluated(self.get_eval_dataloader(eval_dataset))[2]
        return {metric_key_prefix + "_" + name: value for name, value in metrics.items()}

    def predict(self, test_dataset, ignore_keys=None, metric_key_prefix="test"):
        return PredictionOutput(*self._evaluated(self.get_test_dataloader(test_dataset)))
