import { workplace } from '../../src/service/ports/task.ts';
import { workHere } from '../../src/platform/workers/work-thread.ts';
import { parseTask } from '../../src/services/mail/message/parse-task.ts';

/** A program for threads in which reading mail takes all memory that there is. */
workHere([
  workplace(parseTask, async () => () => {
    const kept: string[] = [];
    for (let at = 0; ; at += 1) kept.push(`${at}`.padEnd(2 ** 20, 'x') + at);
  }),
]);
