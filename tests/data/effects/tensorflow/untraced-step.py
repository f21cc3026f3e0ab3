"""5 steps of training operation by operation, against a step in a `tf.function`."""
import tensorflow as tf

CASES = {"MLP 32-64-1, batch 32": (32, 64, 32), "MLP 512-1024-1, batch 64": (512, 1024, 64)}


def setup(inputs, hidden, batch):
    model = tf.keras.Sequential([tf.keras.layers.Dense(hidden, activation="relu"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD()
    x = tf.ones([batch, inputs])
    model(x)
    optimizer.build(model.trainable_weights)

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(gradients, model.trainable_weights))

    return step, tf.function(step), x


def before(step, traced, x):
    for i in range(5):
        step(x)


def after(step, traced, x):
    for i in range(5):
        traced(x)
