"""Sentence templates of the sample papers: results, conclusion, acknowledgements, appendix.

The conventions are those of `_sample_opening`.
"""

from __future__ import annotations

RESULTS: dict[str, tuple[str, ...]] = {
    "ahead": (
        "Table 1 shows the main comparison. {name} obtains {score} and thereby surpasses {rival}, "
        "which stands at {prior}.",
        "The main figures are given in Table 1. At {score}, our system comes out first; the next "
        "best is {rival} with {prior}.",
        "As Table 1 shows, our figure of {score} is {gap} points better than that of {rival}.",
        "According to Table 1, {name} leads with {score}. Its advantage over {rival} is {gap} "
        "points.",
        "Table 1 lists all systems. Ours achieves {score}, and {rival}, hitherto the best of those "
        "compared, follows at {prior}.",
        "In Table 1, the last row belongs to our system. Its {score} compares with {prior} for "
        "{rival}, a difference of {gap} points.",
    ),
    "behind": (
        "Table 1 shows the main comparison. {name} obtains {score} and stays behind {rival}, which "
        "stands at {prior}.",
        "The main figures are given in Table 1. At {score}, our system does not reach {rival}, "
        "whose figure is {prior}.",
        "As Table 1 shows, {rival} keeps the lead: our {score} is {gap} points worse.",
        "According to Table 1, {name} arrives at {score}. The best system compared, {rival}, is "
        "{gap} points better.",
        "Table 1 lists all systems. Ours achieves {score}, while {rival} holds the first place "
        "with {prior}.",
        "In Table 1, the last row belongs to our system. Its {score} is not the best figure, as "
        "{rival} comes to {prior}.",
    ),
    "size": (
        "The difference to the weakest system in the table, {weakest}, is {weak_gap} points.",
        "Measured against {weakest}, the figures differ by {weak_gap} points.",
        "Between our system and {weakest} lie {weak_gap} points.",
        "{weakest}, the last of the quoted systems, is {weak_gap} points away.",
        "To put this into perspective, {weakest} is separated from our system by {weak_gap} "
        "points.",
        "Relative to {weakest}, the change amounts to {weak_gap} points.",
    ),
    "ablation": (
        "Table 2 removes one part at a time. Without the {part_a} the score becomes {no_a}, "
        "without the {part_b} it becomes {no_b}.",
        "The contribution of each part appears in Table 2: dropping the {part_a} leads to {no_a}, "
        "dropping the {part_b} to {no_b}.",
        "We switch off the parts in turn (Table 2). Lacking the {part_a}, the system gets {no_a}; "
        "lacking the {part_b}, it gets {no_b}.",
        "As Table 2 reports, the {part_a} is the more important part, as the score changes from "
        "{score} to {no_a} in its absence. For the {part_b} the figure is {no_b}.",
        "An ablation (Table 2) gives {no_a} when the {part_a} is missing and {no_b} when the "
        "{part_b} is missing.",
        "Which part matters more? Table 2 has the reply: {no_a} remain without the {part_a} and "
        "{no_b} without the {part_b}.",
    ),
    "probe": (
        "To study {problem} directly, it is useful {probe}. In {slice}, the gain over the bare "
        "encoder is {slice_gain} points.",
        "The condition we care about calls for a separate look. We decided {probe}. The gain over "
        "the bare encoder in {slice} is {slice_gain} points.",
        "One way of isolating {problem} is {probe}. Doing so, we observe {slice_gain} points more "
        "than the bare encoder reaches in {slice}.",
        "We also wanted {probe}. The outcome is clear: {slice} improve by {slice_gain} points over "
        "the bare encoder.",
        "A further experiment serves {probe}. Here the system is {slice_gain} points better than "
        "the bare encoder, counted over {slice}.",
        "Our second analysis was meant {probe}. Restricted to {slice}, the improvement over the "
        "bare encoder comes to {slice_gain} points.",
    ),
    "errors": (
        "We read one hundred wrong outputs. The largest group, {errors_a} cases, involves {cue3}; "
        "another {errors_b} go back to {cue4}.",
        "Of one hundred errors inspected by hand, {errors_a} concern {cue3} and {errors_b} "
        "concern {cue4}. The rest has no common cause.",
        "A manual reading of one hundred mistakes points to {cue3} ({errors_a} cases) and {cue4} "
        "({errors_b} cases).",
        "Where does it still fail? In a sample of one hundred errors, {cue3} account for "
        "{errors_a} and {cue4} for {errors_b}.",
        "Errors are not spread evenly: {cue3} cause {errors_a} percent of them, and {cue4} cause "
        "{errors_b} percent.",
        "Among one hundred failures we counted {errors_a} with {cue3} and {errors_b} with {cue4}.",
    ),
    "caution": (
        "These counts come from one data set and should be read with care.",
        "We caution that the sample is small.",
        "Whether the same holds for other {sources} remains open.",
        "A larger study would be needed to settle the matter.",
        "Some of these cases are difficult even for {users}.",
        "In a few cases the reference itself was debatable.",
    ),
    "data_size": (
        "With half of the training data the score changes by {half_gap} points only.",
        "Training on every second case costs {half_gap} points, which is less than we expected.",
        "The system is not hungry for data: halving the training set costs {half_gap} points.",
        "When only half of the {train} cases are used, {half_gap} points are lost.",
        "We also varied the amount of data; a loss of {half_gap} points results from halving it.",
        "A smaller training set does little harm, as half of it costs {half_gap} points.",
    ),
    "discussion": (
        "How should these figures be read? A single number hides that the systems fail in "
        "different places: where ours has trouble with {cue3}, {rival} has trouble with {cue1}.",
        "The figures agree with what we expected from the design. Where {cue1} are absent, all "
        "systems behave much alike; where they occur, the systems drift apart.",
        "One should not conclude that the matter is settled. A reader who checks the {items} one "
        "by one will notice that {cue3} remain a source of mistakes for every system in the table.",
        "It is instructive to look at agreement. For about two thirds of the test cases all "
        "systems are right or all are wrong, and the ranking is decided by the remaining third.",
        "We add a word on chance. With test sets of this size, a difference of less than one point "
        "may vanish when another sample is drawn, and we do not interpret such differences.",
        "Seen over time, progress on {dataset} is steady but slows down. The newer systems differ "
        "less from each other than from the first attempts.",
    ),
    "case": (
        "A single case may illustrate the behaviour. In one {source}, two segments spoke of the "
        "same matter; the bare encoder used the first, our system the second, which was correct.",
        "In a typical case the bare encoder was misled by {cue1}, whereas the complete system "
        "noticed them and returned the right {item}.",
        "One of the cases we looked at contained both {cue1} and {cue2}. Only the complete system "
        "handled it; each incomplete variant overlooked one of the two.",
        "Reading the outputs side by side, one sees that the complete system hesitates less when "
        "{cue2} occur, and that its wrong outputs are closer to the reference.",
        "The improvement is not uniform. For short {sources} nothing changes, while for those with "
        "{cue1} about every fourth output becomes better.",
        "Most of the outputs that changed were changed for the better: for every case that was "
        "spoilt, roughly three were repaired.",
    ),
    "runtime": (
        "Speed was measured too. The complete system handles {speed} cases per second, and the "
        "bare encoder is only slightly faster.",
        "As for running time, the complete evaluation on the test set took less than twenty "
        "minutes on one processor.",
        "In use, {speed} cases are handled per second, which is more than enough for the needs of "
        "{users}.",
        "The memory needed stays below three gigabytes, so the system runs on an ordinary office "
        "machine.",
        "Regarding effort, the measured overhead agrees with the estimate given above, namely "
        "{cost}.",
        "A profile of the running time shows that the encoder dominates and that both parts "
        "together take less than a tenth.",
    ),
}  # fmt: skip

ENDING: dict[str, tuple[str, ...]] = {
    "summary": (
        "We have described {name}, which uses {technique} to make {task} less sensitive to "
        "{problem}.",
        "This paper examined {problem} and offered {name} as a remedy.",
        "With {name} we have shown one way of dealing with {problem}.",
        "The study set out to make {task} more robust, and {technique} proved suitable.",
        "We have argued that {problem} call for a design of their own, and {name} is our attempt.",
        "In conclusion, {technique} is a workable basis for {task}.",
    ),
    "lesson": (
        "The main lesson is that the {part_a} and the {part_b} belong together.",
        "What we take away is that averages conceal the cases that matter most to {users}.",
        "It turned out that a modest change in training can replace a good deal of model size.",
        "Our analysis indicates that the largest effects are found in {slice}.",
        "Perhaps the most useful outcome is the analysis of errors, not the score as such.",
        "We learnt that measuring the right cases is half of the work.",
    ),
    "limit": (
        "The study has limits: it covers one data set, one language setting and one encoder.",
        "One limitation is that {cue3} are still handled poorly.",
        "We did not test larger encoders, nor did we measure how {users} react to errors.",
        "A weakness of the present system is its treatment of {cue4}.",
        "Our results rest on {dataset} alone, and other data may behave differently.",
        "The additional effort, i.e. {cost}, may be too much for some applications.",
    ),
    "future": (
        "Next, we intend to work on {cue4} and to involve {users} in the evaluation.",
        "In future work we want to combine the approach with {other_technique}.",
        "A natural next step is the transfer to tasks beyond {task}.",
        "It remains to be seen how the design interacts with {other_technique}.",
        "We plan to extend the evaluation to longer periods and further {sources}.",
        "Later work should ask why {cue3} remain so stubborn.",
    ),
    "closing": (
        "Whether or not the particular design survives, we think that the condition studied here "
        "will stay with the field for some time.",
        "For the moment, {users} who adopt the system should keep an eye on {cue3} and treat its "
        "output as a proposal.",
        "Progress on {task} will come from many small steps, and this is meant as one of them.",
        "We would be glad to see others repeat the analysis with systems of a different kind.",
        "The settings listed in this paper suffice to rebuild the system from the beginning.",
        "Better test sets will show how much of the effect remains, and we look forward to them.",
    ),
    "thanks": (
        "We thank the anonymous annotators of {dataset} and the readers of an early draft.",
        "The computing time was provided by the shared cluster of our institute.",
        "We are grateful to the {users} who explained their work to us.",
        "This work received no outside funding. We thank the reviewers for their remarks.",
        "Comments from two reading groups improved the presentation.",
        "We thank the maintainers of the tools that made the experiments possible.",
    ),
    "appendix": (
        "This appendix lists settings that did not fit into the main text. The learning rate was "
        "chosen among three values, of which {rate} was the best, and the batch size was {batch}.",
        "For completeness we state the remaining settings: dropout 0.1, warm-up over one epoch, "
        "gradients clipped at 1.0, and a batch size of {batch}.",
        "Further details concern preprocessing. Each {source} was lower-cased, numbers were kept, "
        "and segments longer than {width} tokens were cut.",
        "The search for hyperparameters covered twelve combinations. The chosen one has {layers} "
        "layers, {epochs} epochs and the learning rate {rate}.",
        "We give the time needed for each step: {hours} hours for training, ten minutes for "
        "tuning and less than five minutes for testing.",
        "Additional checks confirmed that the order of the training cases has no effect: {seeds} "
        "shuffled runs stayed within {spread} points.",
    ),
}  # fmt: skip
