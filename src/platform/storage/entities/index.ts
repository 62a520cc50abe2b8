import { Abonent } from './abonent.ts'
import { AbonentFolder } from './abonent-folder.ts'
import { AbonentsBlock } from './abonents-block.ts'
import { AdminAccount } from './admin-account.ts'
import { ApiToken } from './api-token.ts'
import { AuditOperation } from './audit-operation.ts'
import { Card } from './card.ts'
import { ChargeMonth } from './charge-month.ts'
import { ClientAnswer } from './client-answer.ts'
import { ClientSession } from './client-session.ts'
import { CoaRequest } from './coa-request.ts'
import { Currency } from './currency.ts'
import { FinType } from './fin-type.ts'
import { FinanceOperation } from './finance-operation.ts'
import { FiscalConfig } from './fiscal-config.ts'
import { FiscalReceipt } from './fiscal-receipt.ts'
import { Hdsk } from './hdsk.ts'
import { HdskMessage } from './hdsk-message.ts'
import { Home } from './home.ts'
import { IpPull } from './ip-pull.ts'
import { JobRun } from './job-run.ts'
import { MoneyKey } from './money-key.ts'
import { Nas } from './nas.ts'
import { NasTemplate } from './nas-template.ts'
import { Notification } from './notification.ts'
import { Organization } from './organization.ts'
import { Outbox } from './outbox.ts'
import { PaymentOrder } from './payment-order.ts'
import { PaymentProblem } from './payment-problem.ts'
import { PhoneSession } from './phone-session.ts'
import { PushDevice } from './push-device.ts'
import { RadiusLiveSession } from './radius-live-session.ts'
import { RadiusSession } from './radius-session.ts'
import { RemovedOperation } from './removed-operation.ts'
import { RowCount } from './row-count.ts'
import { SecretKey } from './secret-key.ts'
import { SmsQuestion } from './sms-question.ts'
import { SoapSession } from './soap-session.ts'
import { Staff } from './staff.ts'
import { StaffOrganization } from './staff-organization.ts'
import { StaffSession } from './staff-session.ts'
import { Switch } from './switch.ts'
import { SystemSetting } from './system-setting.ts'
import { Tarif } from './tarif.ts'
import { User } from './user.ts'
import { UserAttribute } from './user-attribute.ts'
import { UserAttributeValue } from './user-attribute-value.ts'
import { UsersUsluga } from './users-usluga.ts'
import { Usluga } from './usluga.ts'
import { VideoObject } from './video-object.ts'

/** Every table, for MikroORM. */
export const entities = [
  Abonent,
  AbonentFolder,
  AbonentsBlock,
  AdminAccount,
  ApiToken,
  AuditOperation,
  Card,
  ChargeMonth,
  ClientAnswer,
  ClientSession,
  CoaRequest,
  Currency,
  FinType,
  FinanceOperation,
  FiscalConfig,
  FiscalReceipt,
  Hdsk,
  HdskMessage,
  Home,
  IpPull,
  JobRun,
  MoneyKey,
  Nas,
  NasTemplate,
  Notification,
  Organization,
  Outbox,
  PaymentOrder,
  PaymentProblem,
  PhoneSession,
  PushDevice,
  RadiusLiveSession,
  RadiusSession,
  RemovedOperation,
  RowCount,
  SecretKey,
  SmsQuestion,
  SoapSession,
  Staff,
  StaffOrganization,
  StaffSession,
  Switch,
  SystemSetting,
  Tarif,
  User,
  UserAttribute,
  UserAttributeValue,
  UsersUsluga,
  Usluga,
  VideoObject,
]
