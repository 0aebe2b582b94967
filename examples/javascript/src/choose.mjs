// Which of the listed legal answers to take.
import { Ask, Kind } from './protocol.mjs';

const SMALL_JOKER = 52;

// How high a card stands among singles at this level: 2 to 14, the level card 15, the jokers 16 and 17.
function strength(card, level) {
  if (card >= SMALL_JOKER) return card - SMALL_JOKER + 16;
  const rank = (card >> 2) + 2;
  return rank === level ? 15 : rank;
}

const isBomb = (combo) => combo.kind >= Kind.KIND_STRAIGHT_FLUSH;

// The chance that a group of cards of this strength takes the trick, as a rough guess.
const control = (strength) => (strength / 17) ** 3;

// How many tricks the hand still has to lose before it is empty, as a rough guess: low is good.
// Groups are taken as they come: straights of cards that are alone, then bombs, triples with pairs, pairs, singles.
function burden(hand, level) {
  const wild = 4 * (level - 2) + 1;
  const count = new Array(18).fill(0);
  let wilds = 0;
  for (const card of hand) {
    if (card === wild) wilds += 1;
    else count[strength(card, level)] += 1;
  }
  let sum = -0.8 * wilds;
  for (let low = 2; low <= 10; low += 1) {
    const run = [low, low + 1, low + 2, low + 3, low + 4];
    while (run.every((r) => count[r] >= 1 && count[r] <= 3) && run.filter((r) => count[r] === 1).length >= 3) {
      for (const r of run) count[r] -= 1;
      sum += 1 - control(low + 4);
    }
  }
  let triples = 0;
  let pairs = 0;
  for (let r = 2; r <= 17; r += 1) {
    const n = count[r];
    if (n >= 4) sum -= 0.6 + 0.2 * (n - 4);
    else if (n > 0) sum += 1 - control(r);
    if (n === 3) triples += 1;
    if (n === 2 && r < 15) pairs += 1;
  }
  if (count[16] === 2 && count[17] === 2) sum -= 1;
  // A triple takes a pair along, and the pair costs nothing more.
  return sum - 0.8 * Math.min(triples, pairs);
}

function without(hand, cards) {
  const rest = [...hand];
  for (const card of cards) rest.splice(rest.indexOf(card), 1);
  return rest;
}

function strengthOf(combo, level) {
  if (isBomb(combo)) return 17;
  const isRun = [Kind.KIND_THREE_PAIR, Kind.KIND_TWO_TRIPS, Kind.KIND_STRAIGHT].includes(combo.kind);
  // A run is named by its lowest rank, and a high run is as good as an ace.
  if (isRun) return Math.min(14, (combo.rank % 14) + 4);
  if (combo.rank > 14) return combo.rank + 1;
  return combo.rank === level ? 15 : combo.rank;
}

// The seat that laid the play to beat, told by the trick.
function holder(trick) {
  return trick.findLast((move) => move.play !== null)?.seat;
}

function choosePlay(options, view) {
  const { hand, level, seat, counts, uncounted, finished } = view;
  const partner = (seat + 2) % 4;
  // A seat announces its cards when it has few; one that has not is in no hurry.
  const told = [(seat + 1) % 4, (seat + 3) % 4].filter((s) => !uncounted.includes(s) && !finished.includes(s));
  const nearest = Math.min(27, ...told.map((s) => counts[s]));
  const danger = nearest <= 10 ? (11 - nearest) / 10 : 0;
  const leads = view.to_beat === null;
  const partnerHolds = !leads && holder(view.trick) === partner;

  const score = ({ choice, combo, cards }) => {
    if (choice === 'pass_turn') return burden(hand, level) + (partnerHolds ? -0.4 : 0.3 + danger);
    const rest = without(hand, cards);
    if (rest.length === 0) return -Infinity;
    let sum = burden(rest, level);
    if (!leads) {
      sum -= 0.5 * control(strengthOf(combo, level));
      if (partnerHolds) sum += strengthOf(view.to_beat.combo, level) >= 12 || isBomb(combo) ? 2 : 0.3;
    }
    return sum;
  };
  return lowest(options.map(score));
}

function lowest(scores) {
  return scores.reduce((best, score, index) => (score < scores[best] ? index : best), 0);
}

// The index of the option to answer with.
export function chooseOption({ ask, options, view }) {
  if (ask === Ask.ASK_PLAY) return choosePlay(options, view);
  // Of the cards that may be given, the one without which the hand is best.
  if (ask === Ask.ASK_PAY || ask === Ask.ASK_RETURN) {
    return lowest(options.map(({ card }) => burden(without(view.hand, [card]), view.level)));
  }
  return 0;
}
