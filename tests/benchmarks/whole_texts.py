"""What the whole tasks are about: documents of three pages, questions about them, and mails.

The same number always gives the same text. No two documents share their names and figures, and
each tells its matters in an order of its own, so that no cache can answer one from another.
"""

import random
from dataclasses import dataclass

FOLLOW_UP = "Name the two largest costs in the report, and say in one sentence what each paid for."
INSTRUCTION = "Rewrite this mail so that it is clear and friendly, and keep every date and number."

_SUBJECTS = (
    ("ferry landing", "Aldermouth", "harbor board"),
    ("public library", "Westing", "town council"),
    ("cider orchard", "Bramcote", "growers' union"),
    ("tram depot", "Lindhaven", "transport office"),
    ("observatory", "Carrick Hill", "trust"),
)
_PEOPLE = (
    "Ruth Ackerley",
    "Tomas Lindqvist",
    "Priya Nair",
    "Desmond Obi",
    "Helen Marsh",
    "Jonas Weller",
    "Amina Farouk",
    "Clive Pemberton",
    "Ines Calado",
    "Owen Tarrant",
)
_MONTHS = ("January", "March", "April", "June", "August", "September", "November")

_OPENING = (
    "Report on the renewal of the {subject} at {place}\n\n"
    "The {board} asked in {month} for an account of what was done, what it cost, and what is left"
    " to do. This report was put together by {anna} from the minutes, the bills and"
    " talks with those who did the work. It follows no order of importance: matters are told as"
    " they came up in the talks, and figures are given where they could be checked."
)
_MATTERS = (
    "The roof was the first worry. For {n1} years it had been patched with whatever was at hand,"
    " and in the wet spring it leaked in {n2} places at once. {bert} had the whole of it"
    " stripped and covered anew with slate from a quarry two valleys away. The bill came to"
    " {c1} dollars, a good deal more than the estimate, because a third of the timber under the"
    " old felt had to be replaced as well. Since then not a drop has come through, and the buckets"
    " have gone back to the gardener, who had been asking for them since the year before.",
    "Heating was argued about for longer than anything else. One half of the committee wanted to"
    " keep the old boiler and insulate the walls; the other wanted a heat pump and no more oil."
    " In the end {carl} brought figures from three similar buildings, and the pump won by"
    " a single vote. It was put in during {month2} for {c2} dollars. The first winter's"
    " electricity was {n3} percent below what the supplier had promised, though everybody agrees"
    " that it was a mild winter and that one year proves little.",
    "Nobody had expected trouble with the drains. A camera was sent through the main pipe only"
    " because the insurer insisted, and it showed that roots had lifted it along {n4} meters."
    " Digging it up closed the yard for {n5} weeks, and deliveries had to come by the back lane,"
    " where the neighbors bore them with more patience than could have been asked. {dora}"
    " wrote to each of them afterward and sent a cake. The repair cost {c3} dollars, of"
    " which the insurer has so far paid half.",
    "Visitors are counted by hand, by whoever sits at the door, and the numbers are therefore only"
    " as good as the person's attention. With that warning: {n6} people came in the year before"
    " the work, fewer than half of that while it went on, and {n7} in the twelve months since."
    " Saturdays have grown most. Schools come again on weekdays, usually in two groups, and"
    " {emil} has found four volunteers who show them around and who have asked, politely"
    " but more than once, for a room in which they can hang up their coats.",
    "The lighting was a gift. A firm that was moving out of the district offered its fittings for"
    " nothing if somebody would take them down. {fran} did so over two weekends with the"
    " help of her sons, and an electrician checked and hung them for {c4} dollars. They are"
    " not beautiful, as several people have pointed out, but one can read under them, and they use"
    " a fifth of what the old lamps did. The lamps in the entrance were kept because they are"
    " older than the building and came from its predecessor.",
    "There was one accident. In {month3} a scaffold board slipped and broke the wrist of a"
    " young joiner, who has since recovered and gone back to work. The inspector found that the"
    " board had been tied but not clipped, and asked for a daily check, which {gus} then"
    " carried out and signed for without missing a day. The {board} paid the lost wages before it"
    " was clear whether it had to. The lawyer thought this unwise; everybody else thought it was"
    " the least that could be done.",
    "Money came from five sources. The largest was a grant of {c5} dollars from the county,"
    " tied to the condition that the doors stay open on at least {n8} days a year. A bequest,"
    " two collections and the sale of a strip of land by the road made up most of the rest."
    " A loan had been agreed with the savings bank but was never drawn. {hana} kept the"
    " books, and the auditor, who is not known for praise, called them a pleasure to read.",
    "Some things did not work. The new front door is too heavy for children and for many of the"
    " older visitors, and an opener that was to help has been repaired {n9} times. The paint in"
    " the long corridor began to peel within months because the wall behind it was still damp."
    " The sign at the road is too small to be read from a car. None of this is expensive to put"
    " right, and {ivan} has offered to see to the sign himself, but it should have been"
    " noticed earlier, and next time somebody should be named who looks at such matters.",
    "The garden deserves a paragraph of its own. It had been given up for lost when the diggers"
    " left, and a landscape office wanted {c6} dollars to lay it out again. Instead a group"
    " of neighbors met on {n10} evenings with spades of their own. They planted hedges along the"
    " north side, moved the old pear tree with a borrowed crane, and sowed a meadow that was"
    " mostly thistles in its first summer and mostly poppies in its second. {jill} keeps a"
    " list of who waters when, and the list is full until the autumn.",
    "What is left is small but should not wait. The cellar stairs need a second rail. The fire"
    " doors close too slowly and were marked at the last inspection. The archive, which spent the"
    " whole time in {n11} boxes in a dry barn, has to be brought back before the frost and put on"
    " shelves that have been ordered but not delivered. For all of this {c7} dollars have"
    " been set aside, and {anna} expects that a fifth of that will be left over for a bench,"
    " which was the only wish that every single person mentioned.",
    "Those who were asked what they would do differently gave much the same answer in different"
    " words: begin with the things that cannot be seen. The survey of the ground was put off"
    " because it cost {c8} dollars and nobody could be shown a picture of what it brought, and"
    " it would have found the trouble with the pipe {n12} months before the yard was paved. They"
    " also said that meetings should end at nine. {bert}, who led most of them, said so too.",
)
_CLOSING = (
    "The {board} is asked to take note of this report and to decide on the last works before"
    " the end of {month4}. A copy lies at the desk for anyone who wishes to read it, and"
    " remarks are welcome, in writing and with a name."
)
_QUESTIONS = (
    "What was done about the heating, who settled it, and how did the first winter turn out?",
    "What went wrong with the drains, what did the repair cost, and how did neighbors take it?",
    "Where did the money come from, and what condition was tied to the largest part of it?",
    "What did not work after the renewal, and what has been offered or proposed about it?",
    "What is still left to be done, how much is set aside for it, and what would be left over?",
)
_MAILS = (
    "Dear all, as I already wrote twice the room is not free on the 14th of May because the choir"
    " has it and they booked in January so this is nothing I can change even if some of you seem"
    " to think so. The 15th and the 19th would be possible, both from 17:30, the 19th only until"
    " 20:00 because of the cleaning. We are 23 people if everybody comes, which has never"
    " happened, so the small room with 18 chairs is enough in my opinion and it costs 40 dollars"
    " less. Somebody has to bring the projector, last time nobody did and we sat there looking at"
    " a wall for half an hour. Also the coffee money: 11 of you have not paid the 6 dollars since"
    " February and I am not going to ask a third time. Please tell me by Thursday the 2nd which"
    " of the two days you want, and if I hear nothing I will take the 15th and then I do not want"
    " to hear any complaints afterward. Margaret",
    "Hello Mr. Dunn, the washing machine that you delivered on 3 April does not work, or it works"
    " but not how it should. It stops at minute 38 of every program and shows E18, and the manual"
    " says for E18 I should clean the filter which I did, four times. Your hotline had me wait 25"
    " minutes and then said it is the water pressure, but the old machine ran for 12 years with"
    " the same pressure. I paid 649 dollars and 35 for the delivery and I took a day off for it."
    " I want that a technician comes, not between 8 and 18 but at a time that one can plan with,"
    " and if he cannot repair it then I want another machine or the money back. I am at home on"
    " Mondays and on Wednesday the 17th after 14:00. The number of the order is 20771. I think"
    " this is not asked too much and I am waiting for an answer since more than a week which is"
    " also not how one treats customers. R. Halloran",
    "Hi team, quick one about the move because there is confusion again. Boxes come on Monday the"
    " 8th, 6 per desk, and not more, so please throw things away before and do not come to me and"
    " ask for a seventh. They have to be packed on Thursday the 11th at 15:00 because the truck"
    " is there at 16:00 and the driver leaves at 18:30 whether we are ready or not. Screens are"
    " NOT packed, IT does that, last time three were broken because somebody wanted to be nice."
    " Label the boxes on the side and not on top, with your name and the room, the rooms are in"
    " the list from 22 March which is still right apart from 204 and 205 which are swapped. On"
    " Friday the 12th everybody works from home, the network in the new house is only there from"
    " Monday the 15th at 9:00. Keys you get from Sandra, against a signature, and a lost one costs"
    " 85 dollars. If there are questions, read this mail again first and then ask. Pete",
    "Dear Ms. Okafor, about the trip of class 7b to the coast, I have to say that the letter we"
    " got is not clear. It says the bus leaves at 7:15 on the 21st but on the website it is 7:45"
    " and my daughter says 7:30, so which one is it. Then it says 120 dollars for everything but"
    " later that the boat is 14 dollars extra and lunch on the 2nd day is not included, so it is"
    " not everything. We have already paid 60 in March. She is allergic to nuts, which I wrote on"
    " the form in September and again in the form for the swimming, and I would like that the"
    " hostel knows it and not only the school. And 27 children with 2 teachers at the sea seems"
    " little to me, I could come along on the 22nd and 23rd if that helps, I have a first aid"
    " certificate from 2021. Please answer before the 10th because I have to ask for the days at"
    " work. Kind regards, Daniel Reyes",
    "Hello everybody in number 16, it is about the bicycles in the hall again. On Saturday I"
    " counted 13 and there are 9 flats, so somebody has more than one there, and two of them have"
    " no air and have not moved since at least October. The fire service was here on 5 June and"
    " said that the way has to be 1.2 meters wide and at the moment it is perhaps 70 centimeters,"
    " and next time it costs 250 dollars which the landlord will put on all of us. There are 16"
    " places in the cellar and 5 are free. I have made stickers, yellow ones, please put one with"
    " your name on every bike that is yours until Sunday the 30th. What has no sticker on 1 July"
    " goes to the yard and on the 15th it goes to the workshop of the church, they repair them and"
    " give them away. I do not do this because I like it but because nobody else does. If you need"
    " help with the stairs ring at the 2nd floor, on evenings after 18:00. Gerd Amsel",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One document with its question, and one mail."""

    document: str
    question: str
    follow_up: str
    mail: str
    instruction: str


def case(number: int) -> Case:
    """Return the case of a number; they differ for the first five."""
    return Case(
        document=_document(number),
        question=_QUESTIONS[number % len(_QUESTIONS)],
        follow_up=FOLLOW_UP,
        mail=_MAILS[number % len(_MAILS)],
        instruction=INSTRUCTION,
    )


def _document(number: int) -> str:
    chance = random.Random(number)  # noqa: S311 - texts, no secrets
    subject, place, board = _SUBJECTS[number % len(_SUBJECTS)]
    people = chance.sample(_PEOPLE, len(_PEOPLE))
    roles = ("anna", "bert", "carl", "dora", "emil", "fran", "gus", "hana", "ivan", "jill")
    months = chance.sample(_MONTHS, 4)
    facts = {
        "subject": subject,
        "place": place,
        "board": board,
        **dict(zip(roles, people, strict=True)),
        **dict(zip(("month", "month2", "month3", "month4"), months, strict=True)),
        **{f"n{index}": str(chance.randint(3, 48)) for index in range(1, 13)},
        **{f"c{index}": f"{chance.randint(12, 990) * 100:,}" for index in range(1, 9)},
    }
    matters = chance.sample(_MATTERS, len(_MATTERS))
    return "\n\n".join((_OPENING, *matters, _CLOSING)).format_map(facts) + "\n"
