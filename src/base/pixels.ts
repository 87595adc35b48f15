/** A decoded picture: four bytes a pixel, red, green, blue and opacity, row by row from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

export interface Sides {
  readonly width: number;
  readonly height: number;
}

/** A small picture of an image, upright, with the sides of the image itself; or why there is none, for people, in half a sentence. */
export type Thumbnail =
  | { readonly sides: Sides; readonly pixels: Pixels }
  /** the sides that it announces, as they are stored, if it does */
  | { readonly sides: Sides | undefined; readonly why: string };

/** The largest picture of the same shape within some sides. It is never larger than it was. */
export function sidesWithin({ width, height }: Sides, most: Sides): Sides {
  const scale = Math.min(1, most.width / width, most.height / height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}

/**
 * A smaller picture, of which each pixel is the mean of the area that it stands for. What is clear adds no colour.
 * @param to at most the sides of the picture
 */
export function shrunk(pixels: Pixels, to: Sides): Pixels {
  if (to.width === pixels.width && to.height === pixels.height) return pixels;
  const target = new Uint8Array(to.width * to.height * 4);
  const columns = areas(pixels.width, to.width);
  const rows = areas(pixels.height, to.height);
  const sums = new Float64Array(to.width * 4);
  for (let y = 0; y < to.height; y += 1) {
    sums.fill(0);
    const { first, parts } = rows[y] ?? none;
    for (let at = 0; at < parts.length; at += 1) addRow(sums, pixels, first + at, parts[at] ?? 0, columns);
    for (let x = 0, at = y * to.width * 4; x < sums.length; x += 4, at += 4) {
      const opacity = sums[x + 3] ?? 0;
      if (opacity === 0) continue;
      for (let color = 0; color < 3; color += 1) target[at + color] = Math.round((sums[x + color] ?? 0) / opacity);
      target[at + 3] = Math.round(opacity);
    }
  }
  return { ...to, bytes: target };
}

/** What a pixel stands for in a line of more pixels: from which on, and which part of the whole each of them is. */
interface Area {
  readonly first: number;
  readonly parts: Float64Array;
}

const none: Area = { first: 0, parts: new Float64Array() };

function areas(from: number, to: number): Area[] {
  const size = from / to;
  return Array.from({ length: to }, (_, at) => {
    const [start, end] = [at * size, (at + 1) * size];
    const first = Math.floor(start);
    const parts = new Float64Array(Math.min(from, Math.ceil(end)) - first);
    return {
      first,
      parts: parts.map((_part, index) => (Math.min(first + index + 1, end) - Math.max(first + index, start)) / size),
    };
  });
}

/** Colours are weighted by their opacity. */
function addRow(
  sums: Float64Array,
  { width, bytes }: Pixels,
  row: number,
  share: number,
  columns: readonly Area[],
): void {
  for (let x = 0; x < columns.length; x += 1) {
    const { first, parts } = columns[x] ?? none;
    let [red, green, blue, opacity] = [0, 0, 0, 0];
    for (let index = 0, at = (row * width + first) * 4; index < parts.length; index += 1, at += 4) {
      const weight = (bytes[at + 3] ?? 0) * (parts[index] ?? 0);
      red += (bytes[at] ?? 0) * weight;
      green += (bytes[at + 1] ?? 0) * weight;
      blue += (bytes[at + 2] ?? 0) * weight;
      opacity += weight;
    }
    for (const [color, sum] of [red, green, blue, opacity].entries())
      sums[x * 4 + color] = (sums[x * 4 + color] ?? 0) + sum * share;
  }
}
