"""Three things that people ask for: a summary that quotes, a mail in better words, and a chat."""

from dataclasses import dataclass

from inference.types import ChatMessage

_PAGE = """Quarterly report of the operations department, July to September

Costs came to 398,100 euros, 3.4 percent less than in the second quarter. The largest saving was \
the autumn trade fair, which took place in a smaller hall and needed two days less to set up. \
Travel rose by 1,900 euros, because three sites were visited for the yearly safety inspection.

The new warehouse in Linden opened on 14 August, two weeks later than planned. The delay was \
caused by the fire doors, which the supplier delivered in the wrong size. Since the opening, the \
average time from order to shipment has fallen from 31 to 22 hours. The old warehouse is rented \
until the end of March and will be cleared in January.

Staff turnover was 2.1 percent, the lowest figure in four years. Eleven people joined the \
department and five left it, two of them into retirement. Overtime remained high in the packing \
team: each person worked 14 extra hours a month on average. The works council has asked for two \
additional positions, and a decision is expected in November.

There were four reportable accidents, one more than in the second quarter. Nobody was seriously \
hurt. Three of the four happened at the loading ramp, so its surface was roughened and a second \
mirror was installed. The safety inspection found no other faults.

Customer complaints fell from 187 to 142. Most of them were about damaged packaging. A stronger \
box has been used for glass since 1 September, and not one complaint about broken glass has come \
in since then. Returns cost 12,400 euros, against 15,900 euros in the quarter before.

For the fourth quarter the department expects costs of about 405,000 euros, since the move out of \
the old warehouse begins in December. The forecast assumes that fuel stays at its present price. \
The budget for the year will be kept with a reserve of roughly 20,000 euros."""

_MAIL = """Hi Tom,

sorry that I am writing so late, it was a crazy week. I looked at the offer from Brandt for the \
new meeting room and I think it is too expensive. They want 8,450 euros for the table, twelve \
chairs and the big screen, and the delivery is not even in the price. Last year we payed 6,200 \
for almost the same at Keller. Also the screen they offer is an old model from 2021 and it has \
only a warranty of one year.

I called Mrs. Keller today. She can deliver in the week of 12 May and would give us 5 percent if \
we order before the end of this month. She needs the exact measures of the room and somebody who \
opens the door for her people, because they come already at 7 in the morning. Can you measure the \
room until Thursday? And please ask Jana if she can be there early on that day.

If you think we should still take Brandt, tell me why, then I ask the boss. But I really don't \
like to pay 2,000 euros more for nothing.

See you on Monday
Petra"""


@dataclass(frozen=True, slots=True)
class DraftTask:
    """A request and how it is called in a report."""

    name: str
    messages: tuple[ChatMessage, ...]


def _task(name: str, question: str) -> DraftTask:
    system = "You are a helpful assistant in an office. Answer briefly and to the point."
    return DraftTask(name, (ChatMessage("system", system), ChatMessage("user", question)))


TASKS = (
    _task(
        "quoting summary",
        f"{_PAGE}\n\nGive a summary of this page that consists of quotations only: copy the most "
        "important sentence of each paragraph, word for word, as a numbered list.",
    ),
    _task(
        "rewritten mail",
        f"Rewrite this mail so that it is polite, clear and without mistakes. Keep all facts."
        f"\n\n{_MAIL}",
    ),
    _task(
        "chat",
        "My neighbor says that the sky is blue because it mirrors the sea. Is that right? Explain "
        "it to me, and tell me why it is red in the evening.",
    ),
)
