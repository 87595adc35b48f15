import * as v from 'valibot';
import { integer } from '../text.ts';
import { chatLimits } from './limits.ts';

/** What holds for what is said in a conversation, and its owner decides. */

export const slowModeSeconds = v.pipe(
  integer(0, chatLimits.slowSeconds),
  v.description(
    `how long members below moderators wait from one message to the next, at most ${chatLimits.slowSeconds / 3600} hours; 0: they do not`,
  ),
);
