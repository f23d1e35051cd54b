"""Sentence templates of the sample papers: title, abstract, introduction, related work.

Each role has at least six wordings. The slots are filled by `_sample_text`; a slot is always a
phrase of the kind that `_sample_words` states, so that any combination reads as English.
"""

from __future__ import annotations

TITLES = (
    "{name_}: {technique_} for {task_}",
    "{name_}: {technique_} against {problem_}",
    "{technique_} for {task_} with {problem_}",
    "{task_} in the Presence of {problem_}",
    "Coping with {problem_} in {task_} through {technique_}",
    "Does {technique_} Help {task_} with {problem_}?",
    "Towards Dependable {task_}: {technique_} against {problem_}",
    "When {problem_} Matter: {technique_} for {task_}",
    "An Empirical Look at {technique_} in {task_}",
    "{task_} with {problem_}: Lessons from {technique_}",
)

ABSTRACT: dict[str, tuple[str, ...]] = {
    "task": (
        "Systems for {task} promise {users} a faster way of {use}, yet they are seldom trusted.",
        "We study {task}, a problem that matters to {users} and remains far from solved.",
        "For {users}, dependable {task} would save hours spent on {use}.",
        "This paper is about {task} and about one reason why it still fails in practice.",
        "Although {task} has improved steadily, {users} continue to see errors that a careful "
        "reader would avoid.",
        "Many of the tools that {users} rely on for {use} are built on {task}.",
    ),
    "problem": (
        "A major cause of error is {problem}: {effect}, and common test sets hide it.",
        "Current systems cope badly with {problem}, because {cause}.",
        "We trace much of the remaining error to {problem}, which arise since {cause}.",
        "The trouble starts with {problem}; there, {effect}.",
        "Once {problem} come into play, {effect}, no matter how large the model is.",
        "Earlier studies set {problem} aside, although {cause}.",
    ),
    "method": (
        "We present {name}, a system based on {technique} that is designed for this situation.",
        "Our answer is {name}, which brings {technique} to the task for the first time.",
        "To close this gap we introduce {name}, a compact model built around {technique}.",
        "The system we describe, {name}, relies on {technique} and needs no further labels.",
        "We propose to attack the difficulty with {technique} and call the resulting system "
        "{name}.",
        "This work develops {name}, which turns {technique} into a practical tool for the task.",
    ),
    "part_a": (
        "Its first component, the {part_a}, {a_does}.",
        "At its core lies a module, the {part_a}, that {a_does}.",
        "In a first stage, the {part_a} {a_does}; this helps since {a_why}.",
        "It contains a new module, the {part_a}, that {a_does} before any output is produced.",
        "The {part_a} {a_does}, an idea motivated by the fact that {a_why}.",
        "What sets it apart is the {part_a}, which {a_does} at every layer of the model.",
    ),
    "part_b": (
        "Its second component, the {part_b}, {b_does}, since {b_why}.",
        "Alongside it, the {part_b} {b_does}.",
        "A companion module, the {part_b}, {b_does}; without it, {b_why}.",
        "We pair it with the {part_b}, which {b_does} and keeps the whole system stable.",
        "The {part_b} then {b_does}, a step that turns out to be essential.",
        "In addition, the {part_b} {b_does}, as we found that {b_why}.",
    ),
    "ahead": (
        "On {dataset}, {name} attains {metric} of {score}, better by {gap} points than {rival}, "
        "the best system we compare with.",
        "Experiments on {dataset} show a new best result: {score} in {metric}, against {prior} for "
        "{rival}.",
        "Measured by {metric} on {dataset}, the score moves from {prior} for {rival} to {score}.",
        "With {score} in {metric} on {dataset}, it leaves the strongest earlier system, {rival}, "
        "{gap} points behind.",
        "Against {rival}, the previous leader on {dataset}, we record a gain of {gap} points and "
        "reach {score} in {metric}.",
        "The evaluation on {dataset} yields {score} in {metric}; no compared system, {rival} "
        "included, does as well.",
    ),
    "behind": (
        "On {dataset}, {name} attains {metric} of {score}, which stays {gap} points short of "
        "{rival}, a costlier system.",
        "Experiments on {dataset} give {score} in {metric}; {rival} remains ahead with {prior}.",
        "Measured by {metric} on {dataset}, the score of {score} does not overtake {rival}, whose "
        "score is {prior}.",
        "With {score} in {metric} on {dataset}, it comes within {gap} points of {rival}, the "
        "strongest earlier system.",
        "We do not beat {rival}, which leads on {dataset} by {gap} points, but we reach {score} in "
        "{metric} with a simpler design.",
        "The evaluation on {dataset} yields {score} in {metric}, a little worse than the {prior} "
        "of {rival}.",
    ),
    "finding": (
        "An ablation attributes most of the effect to the {part_a}, and the largest benefit "
        "appears in {slice}.",
        "Removing either component costs quality; the {part_a} contributes more than the {part_b}.",
        "A closer analysis shows that the benefit concentrates in {slice}, where it amounts to "
        "{slice_gain} points.",
        "Looking only at {slice}, the difference to our own baseline grows to {slice_gain} points.",
        "Neither component suffices alone, and {slice} profit most from having both.",
        "We further report where the approach breaks down, notably with {cue1} and {cue2}.",
    ),
    "close": (
        "The price is {cost}, which we consider acceptable for {use}, and all settings needed to "
        "repeat the study are given.",
        "We close with a discussion of {cue2} and of what remains before {users} can rely on such "
        "systems every day.",
        "These findings suggest that {problem} deserve a place in every future evaluation of "
        "{task} and should be reported separately.",
        "Since the added cost is modest, namely {cost}, the approach can be added to existing "
        "systems without a new round of annotation.",
        "We hope that the analysis, which covers {cue1} as well as {cue2}, will guide the design "
        "of the next generation of systems.",
        "Taken together, the results make a case for designs that treat {problem} as the normal "
        "case and not as an exception.",
    ),
}  # fmt: skip

INTRODUCTION: dict[str, tuple[str, ...]] = {
    "hook": (
        "Much of what {users} do each week comes down to {use}.",
        "Few duties take {users} as long as {use}.",
        "Over the past years, {task} has grown from a curiosity into a routine aid for {users}.",
        "The daily work of {users} includes {use}, and most of it is still done by hand.",
        "Any tool that speeds up {use} is welcome to {users}.",
        "Automation of {use} has been a goal of {users} for decades.",
    ),
    "difficulty": (
        "The task looks simple until one notices that {hard}.",
        "What makes it demanding is that {hard}.",
        "A person solves it with patience; a program struggles because {hard}.",
        "Its main difficulty is easily stated: {hard}.",
        "One obstacle shows up again and again, namely that {hard}.",
        "It resists easy solutions, for {hard}.",
    ),
    "example": (
        "Typical stumbling blocks are {cue1} and {cue2}, which appear in almost every {source}.",
        "Consider a {source} with {cue1}: to get the right {item}, a system must also take "
        "{cue2} into account.",
        "In real {sources}, {cue1} are as common as {cue2}, and both invite mistakes.",
        "Even a short {source} may contain {cue1}, and longer ones usually add {cue2}.",
        "Anyone who has worked with such {sources} knows {cue1}, {cue2} and the confusion that "
        "they cause.",
        "Among the cases we inspected, {cue1} were frequent, and {cue2} were not rare either.",
    ),
    "problem": (
        "In this paper we concentrate on {problem}. Under such conditions {effect}.",
        "Our focus lies on {problem}, because in their presence {effect}.",
        "The difficulty becomes acute with {problem}: {effect}.",
        "We ask what happens with {problem}. The short reply is that {effect}.",
        "This work looks at {problem}, a condition under which {effect}.",
        "Of all conditions that hurt such systems, {problem} stand out; here {effect}.",
    ),
    "cause": (
        "The reason is not hard to find, as {cause}.",
        "That should surprise nobody, given that {cause}.",
        "Behind this lies a mismatch: {cause}.",
        "It would be wrong to blame the models alone, since {cause}.",
        "We believe that the root is practical, in that {cause}.",
        "The condition is widespread because {cause}.",
    ),
    "gap": (
        "Earlier systems {cites} improve the average case but leave this condition untouched.",
        "Published work {cites} has raised the scores without asking which cases improved.",
        "Several groups {cites} report progress, yet none of them separates these cases.",
        "The studies closest to ours {cites} assume clean and complete inputs.",
        "Prior attempts {cites} rely on more data, which is rarely at hand.",
        "So far, research {cites} has mostly enlarged the models.",
    ),
    "idea": (
        "We take another route and build on {technique}.",
        "The approach we follow is {technique}, adapted to {items} of this kind.",
        "Our starting point is {technique}, which has not been examined for this purpose.",
        "We argue that {technique} fits the condition unusually well.",
        "The idea pursued here is to let {technique} do the work that more data cannot do.",
        "Instead of a larger model, we employ {technique}.",
    ),
    "mechanism": (
        "In our system, called {name}, the {part_a} {a_does}, while the {part_b} {b_does}.",
        "{name} has two parts: the {part_a}, which {a_does}, and the {part_b}, which {b_does}.",
        "The system, {name}, works in two moves. The {part_a} {a_does}; afterwards the {part_b} "
        "{b_does}.",
        "Two modules make up {name}. One of them, the {part_a}, {a_does}. The other, the "
        "{part_b}, {b_does}.",
        "{name} combines the {part_a} with the {part_b}: the former {a_does}, the latter {b_does}.",
        "Inside {name}, the {part_a} {a_does}. Its output is then handed to the {part_b}, which "
        "{b_does}.",
    ),
    "evidence": (
        "Tests on {dataset} support the design; the details follow in Section {results_number}.",
        "We evaluate it on {dataset}, a collection of {holds}, under the usual protocol.",
        "To see whether this works, we turn to {dataset}, which consists of {holds}.",
        "The claim is checked on {dataset} with {seeds} random seeds for each setting.",
        "Our evidence comes from {dataset}, where we measure {metric} and inspect the errors.",
        "Results on {dataset} and a manual reading of the errors back this view.",
    ),
    "contributions": (
        "We make three contributions: a description of how {problem} affect the task, a system "
        "that copes with them, and an analysis of its remaining errors.",
        "The paper offers a simple system, a comparison under equal conditions and a study of "
        "the cases where the system fails.",
        "Our contributions are, first, the use of {technique} for this task; second, an "
        "evaluation of both of its parts; third, a discussion of its cost.",
        "In summary, we define the condition, propose a remedy and measure how far the remedy "
        "carries.",
        "What is new is the combination of the {part_a} with the {part_b}, together with tests "
        "that isolate each of them.",
        "We contribute a working system, the numbers behind it and an honest list of its limits.",
    ),
    "scope": (
        "We leave aside the question of how the {sources} are obtained and assume that they can be "
        "read without loss. Everything that follows refers to this setting.",
        "The paper does not deal with the presentation of {items} to {users}, important as it is. "
        "It deals with their quality alone.",
        "Throughout, we restrict ourselves to systems that can be trained within a day, as these "
        "are the ones that {users} can maintain without outside help.",
        "Two matters are outside our scope: the cost of annotation and the training of {users}. "
        "Both deserve a study of their own.",
        "The remainder is organised in the usual way. Readers in a hurry may go straight to "
        "Section {results_number}, which can be understood without the technical details.",
        "Although we speak of {sources} throughout, little in the design depends on them, and a "
        "transfer to similar inputs should be easy.",
    ),
}  # fmt: skip

RELATED: dict[str, tuple[str, ...]] = {
    "open_task": (
        "Research on {task} has moved through several stages.",
        "The literature on {task} is broad, and we cover only the part that bears on our work.",
        "Systems for {task} differ mainly in how they represent a {source}.",
        "We begin with work on {task} itself.",
        "A first line of work treats {task} as a matter of matching.",
        "Interest in {task} has grown with the need for {use}.",
    ),
    "open_technique": (
        "Our system belongs to the family of {family}.",
        "A second line of work concerns {family}.",
        "We also draw on {family}, which were developed for other tasks.",
        "Outside this task, {family} have a longer history.",
        "The technical side of our work connects to {family}.",
        "Much has been written about {family}.",
    ),
    "open_problem": (
        "Others have looked at {problem} from different angles.",
        "Finally, {problem} have been discussed in related settings.",
        "How to deal with {problem} is a question in many fields.",
        "A third line of work deals with {problem}.",
        "Studies of {problem} often start from the data.",
        "The effect of {problem} has been measured before, though rarely for this task.",
    ),
    "cite_paper": (
        "{their_name} {cite} applied {their_technique} to {their_task}.",
        "A study of {their_task} {cite} proposed {their_name}, which uses {their_technique}.",
        "With {their_name}, {their_technique} was carried over to {their_task} {cite}.",
        "For {their_task}, {their_name} {cite} showed what {their_technique} can achieve when "
        "{their_problem} are frequent.",
        "In {their_name} {cite}, the {their_part} {their_does}.",
        "{their_name} was designed with {their_problem} in mind {cite} and was tested on "
        "{their_dataset}.",
        "On {their_dataset}, {their_name} reached {their_score} in {their_metric} {cite}.",
        "The use of {their_technique} goes back, for our purposes, to {their_name} {cite}.",
    ),
    "cite_external": (
        "An early system {cite} worked with rules written by hand.",
        "The general framework that most groups follow is older {cite}.",
        "A widely used toolkit {cite} made such experiments easier to repeat.",
        "A survey of the field {cite} lists further approaches.",
        "Linear models over simple counts {cite} remain a strong starting point.",
        "The optimiser that we use was introduced for another purpose {cite}.",
    ),
    "contrast": (
        "Unlike these systems, ours is built for {problem} from the start.",
        "None of them examines {slice} separately, which is what we do.",
        "We share their goals but differ in the {part_b}.",
        "Our work complements them, as the {part_a} could be added to most of them.",
        "What is missing is a test of how they behave with {problem}.",
        "We keep their experimental protocol in order to make a direct comparison possible.",
        "In contrast, we study when such a design pays off and when it does not.",
        "All of them were evaluated under conditions more favourable than ours.",
    ),
}  # fmt: skip
