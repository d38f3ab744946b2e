"""Notes that nobody asks for: on other subjects, in the everyday words of all."""

import random
from pathlib import Path

from dreamhook.memory.note_file import Note

SUBJECTS = """
sensor turbine valve firmware telemetry satellite orbit antenna spectrum beam lens laser robot gripper conveyor
hydraulic pump pressure gasket torque bearing rotor stator winding inverter battery charger anode harvest irrigation
greenhouse seed soil tractor barn poultry dairy cheese bakery oven recipe menu table-plan waiter reservation theatre
ticket stage curtain orchestra violin score-sheet tempo chord synth mixer podcast episode subtitle codec bitrate muxer
playlist puzzle sprite shader voxel dungeon quest inventory loot avatar guild leaderboard chess bishop knight opening
museum fossil amber mineral quarry glacier tide buoy harbour ferry crane anchor sail kayak trail ridge summit hut
avalanche ski lift slope piste helmet saddle pedal chain derailleur tyre wheel axle gearbox clutch piston exhaust
radar sonar drone glider runway hangar cockpit altimeter cargo manifest pallet forklift barcode customs tariff
vaccine syringe ward triage dosage allergy radiology suture enzyme protein genome primer centrifuge pipette reagent
telescope nebula quasar parsec comet lander rover crater regolith insulin glucose retina cornea molar enamel
""".split()
EVERYDAY = Path(__file__).with_name("everyday_words.txt").read_text(encoding="utf-8").split()
"""Words that developers say of nearly everything."""


def note(number: int) -> Note:
    """The same for the same number; nearly half of its words are of its own subjects."""
    dice = random.Random(number)
    subjects = dice.sample(SUBJECTS, 8)

    def words(count: int) -> str:
        return " ".join(
            dice.choice(subjects) if dice.random() < 0.45 else dice.choice(EVERYDAY)
            for _ in range(count)
        )

    return Note(
        title=words(5),
        kind="lesson",
        description=words(12),
        cues=[words(3) for _ in range(9)],
        author="dream",
        evidence=[],
        review_by="2027-05-01",
        body="\n\n".join(words(40) + "." for _ in range(4)),
    )
