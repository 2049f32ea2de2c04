import { Injectable } from '@nestjs/common';

/** Where the results go. It could be a table of a database: nodes are providers, and get what they need injected. */
@Injectable()
export class Journal {
  write(line: string): void {
    console.log(`journal  ${line}`);
  }
}
