// The words of pairing codes: 256 common English nouns, in order.
//
// Short, plain, told apart by their first three letters, and no two that sound
// alike; so what is heard over a telephone can be typed. Written for this.
//
// Example:
//
//   kPairingWords[19];   // "baker"
#ifndef TACTUS_TRANSFER_PAIRING_WORDS_H_
#define TACTUS_TRANSFER_PAIRING_WORDS_H_

#include <array>

namespace tactus::transfer {

// Part of the protocol: a word that is not among them is taken for a slip.
// clang-format off
inline constexpr std::array<const char*, 256> kPairingWords = {
    "acorn", "actor", "alarm", "album", "amber", "anchor", "apple", "april",
    "armor", "arrow", "atlas", "attic", "aunt", "autumn", "bacon", "badge",
    "bagel", "baker", "bamboo", "banjo", "barn", "basil", "bison", "blanket",
    "blue", "boot", "bottle", "brick", "bronze", "bucket", "buffalo", "butter",
    "cabin", "cactus", "camel", "candle", "carpet", "castle", "cedar", "cello",
    "chair", "cherry", "circle", "clock", "coast", "cobra", "coffee", "comet",
    "copper", "cousin", "crab", "crow", "cup", "curtain", "daisy", "dance",
    "denim", "desk", "dinner", "dolphin", "donkey", "door", "dragon", "drum",
    "duck", "eagle", "earth", "echo", "elbow", "engine", "fabric", "falcon",
    "farm", "feather", "fern", "fiddle", "finger", "fish", "flag", "flute",
    "forest", "fox", "frog", "fruit", "fudge", "galaxy", "garden", "gecko",
    "ghost", "giant", "ginger", "glass", "goat", "gold", "goose", "grape",
    "guitar", "habit", "hammer", "harbor", "hazel", "heart", "hedge", "helmet",
    "hero", "hill", "hippo", "hobby", "honey", "hook", "hotel", "hunter",
    "igloo", "iron", "island", "ivory", "jacket", "jaguar", "jelly", "jewel",
    "jigsaw", "joke", "juice", "jungle", "kayak", "kettle", "kitten", "koala",
    "ladder", "lagoon", "lake", "lamp", "lantern", "laptop", "lemon", "letter",
    "library", "lily", "linen", "lion", "lizard", "lobster", "lotus", "lunch",
    "lynx", "magnet", "maple", "marble", "mask", "meadow", "medal", "melon",
    "mirror", "mitten", "monkey", "motor", "mountain", "muffin", "museum",
    "napkin", "needle", "nephew", "nickel", "noodle", "north", "nugget",
    "oasis", "ocean", "octopus", "olive", "onion", "opera", "orange", "orbit",
    "otter", "oven", "owl", "oyster", "palm", "panda", "paper", "parrot",
    "pasta", "peach", "pencil", "pepper", "piano", "picnic", "pigeon", "pilot",
    "pirate", "pizza", "planet", "pocket", "pony", "potato", "puzzle",
    "pyramid", "quartz", "queen", "quilt", "rabbit", "radio", "raven", "ribbon",
    "ring", "river", "robot", "rocket", "rose", "ruby", "saddle", "salad",
    "sand", "scarf", "school", "shadow", "silver", "skate", "smile", "snow",
    "sofa", "spider", "squirrel", "stone", "sugar", "summer", "table", "tango",
    "teapot", "tiger", "timber", "toast", "tomato", "tower", "train", "tulip",
    "tunnel", "turtle", "umbrella", "uncle", "valley", "vanilla", "velvet",
    "violin", "volcano", "wagon", "walnut", "water", "willow", "window", "wolf",
    "yellow", "yogurt", "zebra", "zipper"};
// clang-format on

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_WORDS_H_
