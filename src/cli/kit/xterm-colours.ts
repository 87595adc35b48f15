/** The six steps of each colour in xterm's cube, 16 to 231. Its greys, 232 to 255, are 8, 18 and so on to 238. */
const steps = [0, 95, 135, 175, 215, 255] as const;

/** The number of the colour of xterm's 256 that is nearest. */
export function nearestOf256(red: number, green: number, blue: number): number {
  const [r, g, b] = [stepOf(red), stepOf(green), stepOf(blue)];
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const distance = (...of: [number, number, number]): number =>
    (of[0] - red) ** 2 + (of[1] - green) ** 2 + (of[2] - blue) ** 2;
  const level = 8 + grey * 10;
  const isGrey = distance(level, level, level) < distance(steps[r] ?? 0, steps[g] ?? 0, steps[b] ?? 0);
  return isGrey ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

/** Thresholds are halfway between steps. */
function stepOf(value: number): number {
  if (value < 48) return 0;
  return value < 115 ? 1 : Math.min(5, Math.floor((value - 35) / 40));
}
