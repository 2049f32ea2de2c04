/** Encodes a name as one token of a subject: reversible, without dots, wildcards and spaces. */
export const tokenOf = (name: string): string =>
  encodeURIComponent(name).replace(/[.*!~'()]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Decodes a token. Undefined if `tokenOf` could not have produced it. */
export function nameOf(token: string): string | undefined {
  try {
    const name = decodeURIComponent(token);
    return tokenOf(name) === token ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Subject for frames from one process to another: `roost.df.<app>.<to>.<from>`. */
export const subjectOf = (app: string, to: string, from: string): string =>
  `roost.df.${tokenOf(app)}.${tokenOf(to)}.${tokenOf(from)}`;

/** Subject pattern for all frames to a process. */
export const inboxOf = (app: string, name: string): string => `roost.df.${tokenOf(app)}.${tokenOf(name)}.*`;

export const senderOf = (subject: string): string | undefined => nameOf(subject.slice(subject.lastIndexOf('.') + 1));
