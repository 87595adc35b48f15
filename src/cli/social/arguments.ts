import { Args, Flags } from '@oclif/core';

/** The argument of commands that are about one post. */
export const postArgument = {
  post: Args.string({ description: 'id of the post', required: true }),
};

/** The argument of commands that are about one member. */
export const personArgument = {
  person: Args.string({ description: 'id or username of the member', required: true }),
};

/** What a post has beside its text. */
export const writingFlags = {
  warning: Flags.string({ description: 'what readers are told before they see the text', helpValue: 'TEXT' }),
  sensitive: Flags.boolean({ description: 'show the media only on request' }),
};

/** The same for the operation. */
export function aboutText({
  warning,
  sensitive,
}: {
  readonly warning?: string | undefined;
  readonly sensitive: boolean;
}) {
  return { ...(warning !== undefined && { contentWarning: warning }), isSensitive: sensitive };
}

export function undoFlag(description: string) {
  return { undo: Flags.boolean({ description }) };
}
