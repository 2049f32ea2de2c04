import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { config } from './config.js';
import { Spool } from './spool.js';

@Injectable()
export class MailSpool extends Spool {
  constructor() {
    super(join(config.spoolDir, 'mails'));
  }
}

@Injectable()
export class LabelSpool extends Spool {
  constructor() {
    super(join(config.spoolDir, 'labels'));
  }
}
