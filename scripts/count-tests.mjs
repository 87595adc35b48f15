/**
 * What a test run came to, from vitest's JSON report and its exit code. A file that could not be loaded counts as one failure,
 * and so does a run without a report, without a test, or that ended badly though no test failed (an unhandled error, a crash).
 */
export function countTests(report, exitCode) {
  if (report === undefined)
    return { passed: 0, failed: 1, detail: `vitest wrote no report and ended with ${exitCode}` };
  const files = report.testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (status) => tests.filter((test) => test.status === status).length;
  const passed = withStatus('passed');
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = withStatus('failed') + broken.length;
  const skipped = tests.length - passed - withStatus('failed');
  const notes = [`${passed} passed, ${failed} failed`];
  if (skipped > 0) notes.push(`${skipped} skipped`);
  for (const file of broken) notes.push(`${file.name} could not be run`);
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
