"""What the answers of one model have in common beside its engine."""

from dataclasses import dataclass, field

from inference import reasoning
from inference.drafts import StepCosts
from inference.engine.model_config import ModelConfig
from inference.guidance import Grammars
from inference.reasoning import Mark
from inference.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Controls:
    """How the model writes thoughts, follows schemas, and what its calls cost."""

    marks: tuple[Mark, ...]
    grammars: Grammars
    costs: StepCosts = field(default_factory=StepCosts)

    @classmethod
    def of(cls, tokenizer: Tokenizer, config: ModelConfig) -> "Controls":
        """Return them for a model; nothing is computed yet."""
        grammars = Grammars(tokenizer, vocab_size=config.vocab_size, eos_ids=config.eos_ids)
        return cls(reasoning.marks_of(tokenizer), grammars)
