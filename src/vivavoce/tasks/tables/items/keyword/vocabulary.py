"""Words in which papers of many fields say what their studies consist of.

A line of a list is a name and, after a colon, other ways to write it. `*` stands for the rest of a
word; a name in capitals is only found in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from vivavoce.readers.metric_names import METRICS

LEARNING = """
supervised learning: supervised training, fully supervised, fully-supervised
unsupervised learning: unsupervised, unsupervised training
self-supervised learning: self-supervised, self supervised
semi-supervised learning: semi-supervised, semi supervised
weakly supervised learning: weakly supervised, weakly-supervised, distant supervision
reinforcement learning: RL, policy gradient
transfer learning: transfer
multi-task learning: multi-task, multitask, multitask learning
few-shot learning: few-shot, few shot
zero-shot learning: zero-shot, zero shot
active learning
meta-learning: meta learning
contrastive learning: contrastive
federated learning: federated
continual learning: lifelong learning
curriculum learning
adversarial training: adversarial learning, adversarial
knowledge distillation: distillation
fine-tuning: finetuning, fine-tune, fine-tuned
prompting: in-context learning, prompt-based
"""
ARCHITECTURE = """
Transformer: transformers, self-attention
LSTM: LSTMs, BiLSTM, Bi-LSTM, BLSTM, long short-term memory
GRU: GRUs, gated recurrent unit*
RNN: RNNs, recurrent neural network*, recurrent network*
CNN: CNNs, ConvNet*, convolutional neural network*, convolutional network*, convolutions
GNN: GNNs, graph neural network*, GCN, graph convolutional network*
GAN: GANs, generative adversarial network*
VAE: VAEs, variational autoencoder*, variational auto-encoder*
autoencoder: autoencoders, auto-encoder*
diffusion model: diffusion models
MLP: MLPs, multilayer perceptron, multi-layer perceptron, feed-forward network*
CRF: CRFs, conditional random field*
HMM: HMMs, hidden Markov model*
SVM: SVMs, support vector machine*
decision tree: decision trees
random forest: random forests
gradient boosting: XGBoost, LightGBM
logistic regression
linear regression
naive Bayes: naïve Bayes
Gaussian process: Gaussian processes
Bayesian network: Bayesian networks
encoder-decoder: sequence-to-sequence, seq2seq
memory network: memory networks
mixture of experts: mixture-of-experts, MoE
rule-based: rule based, hand-written rules
"""
BASE_MODEL = """
BERT
RoBERTa
ALBERT
DeBERTa
XLNet
ELECTRA
ELMo
SciBERT
BioBERT
T5
Flan-T5
BART
GPT
GPT-2
GPT-3
GPT-3.5
GPT-4
GPT-4V
GPT-4o
ChatGPT
Codex
PaLM
Claude
Gemini
LLaMA: Llama
LLaMA-2: Llama-2, Llama 2, LLaMA 2
LLaMA-3: Llama-3, Llama 3, LLaMA 3
Vicuna
Alpaca
Mistral
Mixtral
Qwen
Qwen2
Qwen2.5
DeepSeek
OPT
BLOOM
Falcon
CLIP
BLIP
BLIP-2
ViT
Swin
ResNet
ResNet-50: ResNet50
ResNet-101: ResNet101
VGG
VGG-16: VGG16
Inception
EfficientNet
MobileNet
DenseNet
YOLO
U-Net: UNet
PointNet
PointNet++
Word2Vec: word2vec
GloVe
fastText: FastText
Stable Diffusion
wav2vec
HuBERT
Whisper
"""
MODALITY = """
text: texts, textual, sentences, documents
image: images, visual, pictures
video: videos
speech: spoken
audio: sound, music
point cloud: point clouds, LiDAR, lidar
graph: graphs
tabular: tables, spreadsheets
time series: time-series
code: source code, programs
sensor: sensors, wearable
EEG: electroencephalograph*
MRI: fMRI, magnetic resonance
genomic: genome*, DNA, RNA
multimodal: multi-modal, vision-language, cross-modal
"""
LANGUAGE = """
English
Chinese: Mandarin
German
French
Spanish
Italian
Portuguese
Dutch
Russian
Japanese
Korean
Arabic
Hindi
Bengali
Urdu
Turkish
Persian: Farsi
Vietnamese
Thai
Indonesian
Polish
Czech
Swedish
Danish
Norwegian
Finnish
Hungarian
Romanian
Greek
Hebrew
Latin
Swahili
Tamil
Telugu
Ukrainian
Basque
Catalan
multilingual: cross-lingual, crosslingual
"""
DOMAIN = """
biomedical: biomedicine, biological, bioinformatics
medical: medicine, clinical, healthcare, health care, hospital
legal: law
financial: finance, economic
news: newswire
social media: Twitter, Reddit, Weibo
scientific literature: scholarly, scientific papers, scientific articles
education: educational, classroom, students
autonomous driving: self-driving
robotics: robots, robotic
agriculture: agricultural, crops
chemistry: chemical, molecules, molecular
physics: physical
materials science: materials
astronomy: astronomical, galaxies
climate: climatic, weather
software engineering: software development
security: cybersecurity
e-commerce: products, product reviews
remote sensing: satellite
games: video games
Wikipedia
web: web pages
"""
STUDY = """
randomised controlled trial: randomized controlled trial*, randomised trial*, randomized trial*, RCT
cohort study: cohort studies, longitudinal study
case-control study: case-control studies, case control
cross-sectional study: cross-sectional
meta-analysis: meta-analyses
systematic review: scoping review
case study: case studies
interview study: interviews, semi-structured interview*
questionnaire: questionnaires, survey respondents
user study: user studies
field study: field studies, field experiment*
simulation: simulations, simulated
theoretical analysis: theoretical study, we prove
"""
METRIC = "\n".join(
    f"{metric.name}: {', '.join((*metric.forms, *metric.loose))}"
    for metric in METRICS
    if metric.name
)


class Terms:
    """A list of names, to be found in texts."""

    def __init__(self, listing: str) -> None:
        names: dict[str, str] = {}
        for line in listing.strip().splitlines():
            name, _, others = line.partition(":")
            for form in (name, *others.split(",")):
                if form := form.strip():
                    names.setdefault(form, name)
        self._names = names
        self._folded = {form.rstrip("*").casefold(): name for form, name in names.items()}
        # The longest form first, so that `self-supervised` is not read as `supervised`.
        ordered = sorted(names, key=lambda form: (-len(form), form))
        self._pattern = re.compile(
            rf"(?<![\w-])(?:{'|'.join(_form_pattern(form) for form in ordered)})(?![\w-])"
        )

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """(start, end, name) of every form in a text, in order."""
        for match in self._pattern.finditer(text):
            yield match.start(), match.end(), self._name(match.group())

    def has(self, name: str) -> bool:
        """Whether a text is one of the forms and nothing else."""
        return self._pattern.fullmatch(name) is not None

    def _name(self, found: str) -> str:
        if found in self._names:
            return self._names[found]
        folded = found.casefold()
        if folded in self._folded:
            return self._folded[folded]
        # A form with an open end.
        return next(name for form, name in self._folded.items() if folded.startswith(form))


def _form_pattern(form: str) -> str:
    body = re.escape(form.rstrip("*"))
    if not any(map(str.isupper, form[1:])):
        body = f"(?i:{body})"
    return body + (r"\w{0,20}" if form.endswith("*") else "")


@cache
def terms_of(listing: str) -> Terms:
    """The terms of one of the lists, made once."""
    return Terms(listing)
