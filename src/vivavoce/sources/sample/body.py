"""Sentence templates of the sample papers: method and experiments.

The conventions are those of `_sample_opening`.
"""

from __future__ import annotations

METHOD: dict[str, tuple[str, ...]] = {
    "lead": (
        "This section describes {name} from input to output.",
        "We first give an overview of {name} and then turn to its two parts.",
        "{name} takes a {source} and produces one {item} at a time.",
        "The design of {name} follows from two observations, one for each of its parts.",
        "We now explain how {name} is put together.",
        "Before going into detail, we fix the notation used throughout.",
    ),
    "notation": (
        "Let x be a {source} cut into n segments, and let y be the desired {item}. The model "
        "assigns a probability p(y | x) and is trained to make it large.",
        "We write x for the {source} and y for the {item}; h denotes the hidden states of the "
        "encoder, one vector for each of the n segments.",
        "An input is a sequence of n segments, i.e. units of at most {width} tokens. From it the "
        "encoder computes n vectors of equal length.",
        "Formally, a training case is a pair (x, y) of a {source} and its {item}. We "
        "minimise the mean loss over all pairs, as in Eq. 1.",
        "Each {source} is split into n segments. A shared encoder with {layers} layers maps them "
        "to vectors, on which everything else operates.",
        "Given a {source} x, we look for the output y with the highest score s(x, y), where s is "
        "the sum of two terms that correspond to the two parts.",
    ),
    "part_a": (
        "The {part_a} {a_does}. We introduced it because {a_why}.",
        "The purpose of the {part_a} follows from a simple fact: {a_why}. It therefore {a_does}.",
        "As its name suggests, the {part_a} {a_does}. The underlying assumption is that {a_why}.",
        "It is well known among {users} that {a_why}. Accordingly, the {part_a} {a_does}.",
        "We call the first part the {part_a}. It {a_does}, on the grounds that {a_why}.",
        "Since {a_why}, the first part of the system, the {part_a}, {a_does}.",
    ),
    "steps": (
        "Technically it is {steps}.",
        "Its implementation is straightforward: {steps}.",
        "We realise it as {steps}.",
        "In code, this amounts to {steps}.",
        "The simplest form that worked was {steps}.",
        "After some trials we settled on {steps}.",
    ),
    "detail": (
        "All its weights are learnt together with those of the encoder, and no stage is trained "
        "on its own.",
        "Segments that receive no score are passed on unchanged, so nothing is lost at this point.",
        "Its parameters are shared between the {layers} layers, which keeps the number of weights "
        "small.",
        "We apply it to the hidden states and not to the words, hence it does not depend on the "
        "vocabulary.",
        "The computation takes time linear in n, and even a long {source} is handled in one go.",
        "During training we drop a tenth of its inputs at random to prevent it from relying on a "
        "single segment.",
    ),
    "illustration": (
        "Take {cue1} as an example. A plain encoder treats them like any other segment, whereas "
        "the {part_a} singles them out.",
        "With {cue1}, for instance, the first part reacts strongly, and the later stages can "
        "concentrate on the few segments that matter.",
        "This is most visible for {cue1}, e.g. when several of them occur in one {source}.",
        "For {cue1} the effect is easy to see: the scores of unrelated segments fall close to "
        "zero.",
        "When we looked at single cases, {cue1} received high scores in nine out of ten of them.",
        "In a {source} without {cue1} the module stays almost idle, as it should.",
    ),
    "part_b": (
        "The {part_b} {b_does}. This matters because {b_why}.",
        "Without further measures, {b_why}. For this reason the {part_b} {b_does}.",
        "The second part is the {part_b}. It {b_does}, which addresses the risk that {b_why}.",
        "During development we noticed that {b_why}. The {part_b}, which {b_does}, is our remedy.",
        "The {part_b} has a single duty: it {b_does}. Earlier versions lacked it, and there we "
        "saw that {b_why}.",
        "To complete the system, the {part_b} {b_does}. The motivation is that {b_why}.",
    ),
    "objective": (
        "The training objective adds its term to the usual loss with a weight of {weight}, chosen "
        "on the development set.",
        "We combine both losses in a weighted sum. A weight of {weight} worked best, but any value "
        "in its vicinity gave similar scores.",
        "Both parts are trained jointly; the second term enters the loss with the factor {weight}.",
        "The total loss is L = L_task + {weight} L_part, where the second term belongs to the "
        "{part_b}.",
        "Its influence is controlled by one number, set to {weight} in all experiments.",
        "One hyperparameter is added, the weight {weight} of the second loss term.",
    ),
    "cost": (
        "In terms of resources, the two parts require {cost}.",
        "The overhead was measured as well and amounts to {cost}.",
        "Compared with the bare encoder, the whole design calls for {cost}.",
        "What one pays for this is {cost}, with no change to the hardware.",
        "The additional expense, {cost}, stays the same for every {source}.",
        "We measured {cost} relative to a system without the two parts.",
    ),
    "inference": (
        "At test time the system reads the {source} once and returns the best {item}.",
        "For prediction we use the weights of the best epoch on the development set.",
        "When it is applied, no random choices remain, so two passes give the same {item}.",
        "At prediction time both parts stay active, and we keep the five best candidates.",
        "Inference uses a beam of four, after which the highest score wins.",
        "Once trained, the system handles about {speed} cases per second on one processor.",
    ),
    "design": (
        "Three aims guided the design: it should work on a single processor, it should not need "
        "new labels, and each of its parts should be removable without touching the rest.",
        "We kept the encoder as it is and changed only what happens around it, so that every "
        "difference in quality can be traced to one of the two parts described below.",
        "Where several designs did equally well, we took the simplest. In particular, no part "
        "looks at the {item} before the encoder has read the whole {source}.",
        "A guiding idea was that each decision should be visible from outside. Both parts "
        "therefore produce numbers that {users} can read and question.",
        "Earlier drafts had five modules. We removed them one by one, and the two that remain are "
        "those whose absence could be noticed on the development set.",
        "The order of the two parts is not arbitrary: the first prepares the ground, the second "
        "keeps the training on course, and exchanging them leads nowhere.",
    ),
    "alternative": (
        "We also considered a version with hard rules for {cue2}, but it broke as soon as the "
        "{sources} came from another office.",
        "A tempting alternative is to mark {cue2} in the input by hand. It helps a little, yet it "
        "asks for work that nobody is willing to do.",
        "Replacing the module by a second encoder gave no benefit and doubled the training time, "
        "which is why we did not pursue this variant.",
        "One could let the encoder find {cue2} by itself. In our trials it did so only after far "
        "more training cases than are available.",
        "Simpler variants, such as a fixed weight for every segment, were unable to tell {cue2} "
        "from ordinary material.",
        "An exhaustive search over all segments would be the ideal, but its cost grows too fast "
        "with the length of the {source}.",
    ),
    "stability": (
        "Training is stable under this scheme. In more than fifty runs we saw none that failed, "
        "and the loss fell smoothly from the first epoch to the last.",
        "The scheme introduces no discontinuity, so an ordinary optimiser can be used without any "
        "special care.",
        "It takes effect after the first epoch only, when the encoder has reached a reasonable "
        "state and its gradients can be trusted.",
        "We clip its gradients at 1.0. Without clipping, one run in twenty diverged, mostly on "
        "unusually long {sources}.",
        "To save time, it is evaluated on every fourth batch, which has no measurable influence on "
        "the outcome.",
        "Its value is also a useful signal for debugging: if it does not fall within two epochs, "
        "something is wrong with the data.",
    ),
}  # fmt: skip

EXPERIMENTS: dict[str, tuple[str, ...]] = {
    "lead": (
        "We now test whether the design keeps its promise.",
        "The experiments answer two questions: does the system help, and which part is "
        "responsible?",
        "Our evaluation follows the protocol of earlier work wherever possible.",
        "This section states the data, the systems compared and all settings.",
        "The aim of the experiments is a fair comparison under equal conditions.",
        "We describe the data first, then the training and the competing systems.",
    ),
    "data": (
        "All experiments use {dataset}, which contains {holds}. There are {train} cases for "
        "training, {dev} for development and {test} for testing.",
        "{dataset} consists of {holds}. We keep the official split with {train}, {dev} and {test} "
        "cases.",
        "As data we take {dataset}. Its {holds} are divided into {train} training, {dev} "
        "development and {test} test cases.",
        "The data set is {dataset}, i.e. {holds}. After removing duplicates, {train} cases remain "
        "for training, while {dev} and {test} serve as development and test set.",
        "We chose {dataset} since its {holds} show {cue2} as well as {cue3}. It has {test} test "
        "cases; {train} are available for training and {dev} for development.",
        "From {dataset}, a set of {holds}, we use {train} cases to train, {dev} to tune and "
        "{test} to test.",
    ),
    "metric": (
        "Quality is measured as {metric}, where {direction} values are better.",
        "We report {metric} in percent; {direction} is better.",
        "The official measure is {metric} ({direction} is better), and we add no other.",
        "As is customary, systems are ranked by {metric}, and {direction} figures are preferable.",
        "Our only measure is {metric}. Readers should keep in mind that {direction} means better.",
        "Following earlier work we use {metric}, for which {direction} numbers are desirable.",
    ),
    "training": (
        "The encoder has {layers} layers of width {width}. We train for {epochs} epochs with "
        "batches of {batch} and a learning rate of {rate}.",
        "We train {epochs} epochs at a learning rate of {rate}; the batch size is {batch}, the "
        "encoder has {layers} layers, and its width is {width}.",
        "Training runs for {epochs} epochs on one card and takes about {hours} hours. The batch "
        "size is {batch}, the learning rate {rate}, the number of layers {layers}.",
        "With {layers} layers and a width of {width}, the encoder is of medium size. Batches hold "
        "{batch} cases, the learning rate starts at {rate}, and training ends after {epochs} "
        "epochs.",
        "A learning rate of {rate}, batches of {batch} cases and {epochs} epochs gave the best "
        "development score. Our encoder has {layers} layers.",
        "All models share one encoder ({layers} layers, width {width}) and one budget of {epochs} "
        "epochs, i.e. about {hours} hours. The learning rate is {rate}.",
    ),
    "seeds": (
        "Every figure is the mean of {seeds} training runs that differ only in their seed.",
        "We repeat each experiment {seeds} times and report the average.",
        "To limit the role of chance, {seeds} seeds are used, and their mean is shown.",
        "Scores are averaged over {seeds} runs; their spread was below {spread} points.",
        "Each system was trained {seeds} times. The standard deviation never exceeded {spread}.",
        "All numbers are averages of {seeds} runs with a deviation of at most {spread} points.",
    ),
    "rivals": (
        "We compare with {rivals}. Their scores are taken from the original publications.",
        "The systems compared are {rivals}, all of which were tested on the same split.",
        "As competitors we select {rivals}, for which published scores exist.",
        "Our comparison includes {rivals}; we quote their reported figures.",
        "For reference we list {rivals} with the numbers given by their authors.",
        "The table of results covers {rivals}, none of which was retrained by us.",
    ),
    "preparation": (
        "Each {source} is cut at natural borders, and segments of more than {width} tokens are "
        "halved. No other preparation takes place.",
        "Preparation is kept to a minimum: numbers stay as they are, upper case is preserved, and "
        "only damaged characters are removed.",
        "We check that no {source} occurs in two parts of the split, because a single duplicate "
        "can make a system look better than it is.",
        "Cases without a valid reference, fewer than one in a hundred, are removed beforehand and "
        "the same list of removals is applied to all systems.",
        "The vocabulary has 16,000 units and is learnt from the training part alone, so that no "
        "word of the test part is known in advance.",
        "Since {cue4} are common in this material, we do not normalise them away but leave their "
        "treatment to the systems.",
    ),
    "selection": (
        "The best epoch is chosen on the development set. The test set was used once, after all "
        "decisions had been made.",
        "We tuned three settings on the development set and fixed the others at common values, "
        "with the same effort for every variant.",
        "All choices were made on the development set, and we looked at the test cases only when "
        "the text of this paper was nearly complete.",
        "Training stops early when the development score has not improved for three epochs in a "
        "row, which happened in about half of the runs.",
        "No setting was tuned for single categories of the data; one configuration serves them "
        "all.",
        "The search was limited to twelve configurations. We mention this because larger searches "
        "alone can explain gains of half a point.",
    ),
    "fairness": (
        "Where a system exists in several sizes, the one closest to ours was selected, so that the "
        "comparison is not decided by the number of weights.",
        "Some of these systems use additional data. We include them nevertheless, as {users} will "
        "choose by quality and not by principle.",
        "The bare encoder, i.e. our system without either part, serves as a further point of "
        "reference in the analyses below.",
        "Since we rely on published figures, small differences in preparation cannot be excluded, "
        "and gaps below half a point should not be taken too seriously.",
        "Systems whose scores were computed on another split are left out, because their figures "
        "cannot be compared with ours.",
        "None of them had access to the test cases during training, as far as their descriptions "
        "allow us to tell.",
    ),
}  # fmt: skip
