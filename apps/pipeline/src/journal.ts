import { Injectable } from '@nestjs/common';

/** Receives the results. It could be a database table: nodes are providers, so anything can be injected into them. */
@Injectable()
export class Journal {
  write(line: string): void {
    console.log(`journal  ${line}`);
  }
}
