/** Something outside of the program keeps it from starting: told in plain lines, without a stack. */
export class ShopFault extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = new.target.name;
  }
}
