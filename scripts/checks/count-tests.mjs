/**
 * What a test run came to, from vitest's JSON report and its exit code. A file that could not be loaded counts as one failure,
 * and so does a run without a report, without a test, or that ended badly though no test failed (an unhandled error, a crash).
 * Of a `whole` run, so does each test that was left out without a tag `needs-…`, which names what this machine doesn't have.
 * Tests with one of the tags that the stage `leaves` out are meant to be. Those that were `unsteady` count as passed: they did when they ran once more.
 */
export function countTests(report, exitCode, { whole = false, unsteady = [], leaves = [] } = {}) {
  if (report === undefined)
    return { passed: 0, failed: 1, detail: `vitest wrote no report and ended with ${exitCode}` };
  const files = report.testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (status) => tests.filter((test) => test.status === status).length;
  const passed = withStatus('passed') + unsteady.length;
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  const isMeant = (tag) => tag.startsWith('needs-') || leaves.includes(tag);
  const lost = whole ? skipped.filter(({ tags = [] }) => !tags.some(isMeant)) : [];
  const failed = withStatus('failed') - unsteady.length + broken.length + lost.length;
  const notes = [`${passed} passed, ${failed} failed`];
  if (skipped.length > 0) notes.push(`${skipped.length} skipped`);
  for (const file of broken) notes.push(`${file.name} could not be run`);
  for (const test of lost) notes.push(`left out: ${test.fullName}`);
  if (passed + failed === 0) return { passed, failed: 1, detail: 'no test ran' };
  if (failed === 0 && exitCode !== 0) {
    return {
      passed,
      failed: 1,
      detail: `${notes.join(', ')}; vitest ended with ${exitCode} because of errors outside the tests`,
    };
  }
  return { passed, failed, detail: notes.join(', ') };
}

/**
 * The failed tests by file and name, each with the first line of what it said: what is left of a long run when only its end is kept.
 * @returns {{ file: string, name: string | undefined, line: string }[]} no name where the file could not be loaded
 */
export function failuresOf(report, root) {
  return (report?.testResults ?? []).flatMap(({ name, message, assertionResults }) => {
    const file = (name.startsWith(root) ? name.slice(root.length) : name).replace(/^\//, '');
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message) return [{ file, name: undefined, line: firstLine(message) }];
    return failed.map((test) => ({ file, name: test.fullName, line: firstLine(test.failureMessages?.[0]) }));
  });
}

/** The same as lines, without those that were unsteady. */
export function failedTests(report, root, unsteady = []) {
  const steady = failuresOf(report, root).filter(
    ({ file, name }) => !unsteady.some((known) => known.file === file && known.name === name),
  );
  return steady.map(({ file, name, line }) => `${file}${name === undefined ? '' : ` > ${name}`}: ${line}`);
}

function firstLine(text = '') {
  return text.split('\n', 1)[0].slice(0, 300);
}
