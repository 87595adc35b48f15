/**
 * What a test run came to, from vitest's JSON report and its exit code. A file that could not be loaded counts as one failure,
 * and so does a run without a report, without a test, or that ended badly though no test failed (an unhandled error, a crash).
 * Of a `whole` run, so does each test that was left out without a tag `needs-…`, which names what this machine doesn't have.
 */
export function countTests(report, exitCode, { whole = false } = {}) {
  if (report === undefined)
    return { passed: 0, failed: 1, detail: `vitest wrote no report and ended with ${exitCode}` };
  const files = report.testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (status) => tests.filter((test) => test.status === status).length;
  const passed = withStatus('passed');
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  const lost = whole ? skipped.filter(({ tags = [] }) => !tags.some((tag) => tag.startsWith('needs-'))) : [];
  const failed = withStatus('failed') + broken.length + lost.length;
  const notes = [`${passed} passed, ${failed} failed`];
  if (skipped.length > 0) notes.push(`${skipped.length} skipped`);
  for (const file of broken) notes.push(`${file.name} could not be run`);
  for (const test of lost) notes.push(`left out in both stages: ${test.fullName}`);
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

/** The failed tests by file and name, each with the first line of what it said: what is left of a long run when only its end is kept. */
export function failedTests(report, root) {
  return (report?.testResults ?? []).flatMap(({ name, message, assertionResults }) => {
    const file = name.startsWith(root) ? name.slice(root.length) : name;
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message) return [`${file}: ${firstLine(message)}`];
    return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages?.[0])}`);
  });
}

function firstLine(text = '') {
  return text.split('\n', 1)[0].slice(0, 300);
}
