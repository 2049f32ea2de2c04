/** An external problem that prevents the start. Printed as plain lines, without a stack trace. */
export class ShopFault extends Error {
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = new.target.name;
  }
}
