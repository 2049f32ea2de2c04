/** A name as one token of a subject: without dots, wildcards and spaces, and reversible. */
export const tokenOf = (name: string): string =>
  encodeURIComponent(name).replace(/[.*!~'()]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Undefined for what `tokenOf` does not make. */
export function nameOf(token: string): string | undefined {
  try {
    const name = decodeURIComponent(token);
    return tokenOf(name) === token ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Where frames of one process to another go: `roost.df.<app>.<to>.<from>`. */
export const subjectOf = (app: string, to: string, from: string): string =>
  `roost.df.${tokenOf(app)}.${tokenOf(to)}.${tokenOf(from)}`;

/** All that is sent to a process. */
export const inboxOf = (app: string, name: string): string => `roost.df.${tokenOf(app)}.${tokenOf(name)}.*`;

export const senderOf = (subject: string): string | undefined => nameOf(subject.slice(subject.lastIndexOf('.') + 1));
