import { relative } from 'node:path';

/** Of a vitest JSON report, the files that took longest, with their seconds: what `test/support/durations.json` has in it. */
export function durationsOf(report, root, most = 60) {
  const files = report.testResults.map(({ name, startTime, endTime }) => [
    relative(root, name).replaceAll('\\', '/'),
    Math.round((endTime - startTime) / 1000),
  ]);
  const slowest = files.toSorted((one, other) => other[1] - one[1]).slice(0, most);
  const lines = slowest.filter(([, seconds]) => seconds > 0).map(([name, seconds]) => `  "${name}": ${seconds}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
