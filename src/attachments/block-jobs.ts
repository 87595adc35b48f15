/** The kinds of jobs that drop blocks: the one that is made, and the one that stores of former versions may hold. */
export const dropBlockKinds = ['drop-block', 'passvault-drop-block'] as const;
