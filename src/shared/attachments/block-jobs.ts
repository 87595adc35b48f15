/** The kinds of jobs that drop blocks: the present one, and one that stores of earlier versions may hold. */
export const dropBlockKinds = ['drop-block', 'passvault-drop-block'] as const;
