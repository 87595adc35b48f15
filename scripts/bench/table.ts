/** Prints rows under their titles, numbers to the right. */
export function printTable(titles: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const cells = rows.map((row) => row.map(String));
  const widths = titles.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const isNumber = titles.map((_, column) => rows.every((row) => /^[\d.,]+\D{0,4}$/.test(String(row[column]))));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0))).join('  ');
  console.log(line(titles).trimEnd());
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of cells) console.log(line(row).trimEnd());
}

/** The value in the middle, which a few slow runs don't move. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
