import type { ProblemCode } from '#core/problems.ts';

/** What a message means in general, and its fix. The log entry has the full text for its document. */
export interface MessageText {
  readonly meaning: string;
  /** Null if there is nothing to do. */
  readonly fix: string | null;
}

/** The help on each message of the catalogue (domain reference 13). */
export const messageTexts: Readonly<Record<ProblemCode, MessageText>> = {
  CUSTOMER_AMBIGUOUS: {
    meaning: 'Several QuickBooks customers have this company name.',
    fix: 'Choose one under Customer Mappings, or create a new customer.',
  },
  CUSTOMER_SIMILAR: {
    meaning: 'QuickBooks has a customer with a similar name.',
    fix: 'Link the existing customer or create a new one. A setting turns this check off.',
  },
  VENDOR_SIMILAR: {
    meaning: 'QuickBooks has a vendor with a similar name.',
    fix: 'Link the existing vendor or create a new one. A setting turns this check off.',
  },
  CUSTOMER_INACTIVE: {
    meaning: 'The QuickBooks customer is inactive or deleted.',
    fix: 'Make it active in QuickBooks (Sales > Customers), or map the company to another customer.',
  },
  CUSTOMER_NOT_MAPPED: {
    meaning: 'QuickBooks has no customer for the company, and automatic creation is off.',
    fix: 'Map the company, create the customer in QuickBooks, or turn on automatic creation.',
  },
  CUSTOMER_EXEMPT: {
    meaning:
      'The company is exempt from sales tax, and QuickBooks computes sales tax, so a new customer needs a reason.',
    fix: 'Create the customer in QuickBooks with the reason for the exemption, then sync again.',
  },
  VENDOR_NOT_MAPPED: {
    meaning: 'QuickBooks has no vendor for the company, and automatic creation is off.',
    fix: 'Map the company, create the vendor in QuickBooks, or turn on automatic creation.',
  },
  VENDOR_INACTIVE: {
    meaning: 'The QuickBooks vendor is inactive or deleted.',
    fix: 'Make it active in QuickBooks (Expenses > Vendors), or map the company to another vendor.',
  },
  COMPANY_NOT_FOUND: {
    meaning: 'The Autotask company could not be read.',
    fix: 'Check that the company exists and that the API user can read it.',
  },
  RESOURCE_NOT_FOUND: {
    meaning: 'The name of the employee who submitted the report could not be read.',
    fix: 'Check that the resource has a name and that the API user can read it.',
  },
  ITEM_NOT_MAPPED: {
    meaning: 'Some lines have no QuickBooks item.',
    fix: 'Map them under Item Mappings, or turn on automatic item creation.',
  },
  ITEM_INVALID: {
    meaning: 'The mapped item is inactive or deleted.',
    fix: 'Choose another item, or make it active in QuickBooks.',
  },
  ITEM_AMBIGUOUS: {
    meaning: 'Several QuickBooks items match the name. Nothing was created.',
    fix: 'Choose one under Item Mappings.',
  },
  ITEM_NO_LONGER_ACTIVE: {
    meaning: 'The item used for this name until now is inactive or deleted.',
    fix: 'Choose another item, or make it active in QuickBooks.',
  },
  ITEM_NAME_TAKEN: {
    meaning: "QuickBooks has a category or bundle with the item's name.",
    fix: 'Choose an item under Item Mappings. Lines cannot use categories or bundles.',
  },
  OWN_ITEM_UNUSABLE: {
    meaning: 'An item that Tallybridge needs, for example for prepaid hours, has no income account.',
    fix: 'Set its income account in QuickBooks, or rename it so that a new one is created.',
  },
  ITEM_NO_INCOME_ACCOUNT: {
    meaning: 'The item has no income account.',
    fix: 'Set it in QuickBooks, or map another item.',
  },
  ITEM_NO_EXPENSE_ACCOUNT: {
    meaning: 'The item has no expense account.',
    fix: 'Set it in QuickBooks, or map another item.',
  },
  INCOME_ACCOUNT_REQUIRED: {
    meaning: 'New items need an income account, and no usable one is chosen.',
    fix: 'Choose an active income account in Settings, Invoices.',
  },
  PREPAID_ITEM_ON_INCOME: {
    meaning: 'A prepaid sale uses an item that books to income instead of the prepayment account.',
    fix: "Change the item's account in QuickBooks, or map the billing code to another item.",
  },
  PREPAID_ACCOUNT_REQUIRED: {
    meaning: 'The invoice has prepaid work, and no prepaid item or account is chosen.',
    fix: 'Choose the account in Settings, Invoices, or turn off earning prepaid hours. Do not book the work as new income.',
  },
  EXPENSE_ACCOUNT_REQUIRED: {
    meaning: 'New items and lines without a product need an expense account.',
    fix: 'Choose an active expense account in Settings, Purchase Orders.',
  },
  EXPENSE_CATEGORY_NOT_MAPPED: {
    meaning: 'An expense category has no account.',
    fix: 'Map it under Expense Mappings.',
  },
  CASH_ADVANCE_ACCOUNT_REQUIRED: {
    meaning: 'The report has a cash advance, and no account is chosen for it.',
    fix: 'Choose a cash advance account in Settings, Expense Reports.',
  },
  NEGATIVE_BILL: {
    meaning: 'The refunds of an expense report exceed its expenses.',
    fix: 'Enter a vendor credit in QuickBooks, or add the refund to a larger report.',
  },
  REIMBURSED_IN_ANOTHER_CURRENCY: {
    meaning: 'Autotask reimburses the employee in another currency than the items.',
    fix: 'Enter the bill by hand in the reimbursed currency, then mark the report as paid in Autotask.',
  },
  ROUNDING_ITEM_REQUIRED: {
    meaning: 'The lines need a rounding line, and the item “Rounding difference” does not exist.',
    fix: 'Create the service item in QuickBooks, or choose a rounding account and turn on automatic item creation.',
  },
  PAYABLE_ACCOUNT_REQUIRED: {
    meaning: 'No usable payable account is chosen.',
    fix: 'Choose one in Settings, Purchase Orders.',
  },
  FREIGHT_ACCOUNT_REQUIRED: {
    meaning: 'The order has freight, and no usable freight account is chosen.',
    fix: 'Choose one in Settings, Purchase Orders.',
  },
  DUPLICATE_DOC_NUMBER: {
    meaning: 'Another QuickBooks document has the number.',
    fix: 'Change the number of that document in QuickBooks, for example by adding -VOID. Do not delete it.',
  },
  DOC_NUMBER_TOO_LONG: {
    meaning: 'The number has more than 21 characters.',
    fix: 'Shorten it in Autotask, or let QuickBooks number the documents.',
  },
  DOC_NUMBER_MISSING: {
    meaning: 'The invoice has no number.',
    fix: 'Number it in Autotask, or let QuickBooks number the documents.',
  },
  NUMBER_MISSING: {
    meaning:
      'A document was posted without a number, because custom transaction numbers were turned on in QuickBooks. Syncing stopped.',
    fix: "Turn them off, or choose Autotask's numbering. Number this document in QuickBooks: the next sync links it.",
  },
  TAX_ADDRESS_INCOMPLETE: {
    meaning: 'The sales tax address of the company is incomplete.',
    fix: 'Add state and postal code in Autotask.',
  },
  TAX_CODE_REQUIRED: {
    meaning: "QuickBooks has no tax code with the region's name.",
    fix: 'Create one, or map the region under Tax Regions.',
  },
  CURRENCY_MISMATCH: {
    meaning: 'The company and the QuickBooks customer have different currencies.',
    fix: 'Map the company to a customer with its currency.',
  },
  EXCHANGE_RATE_MISSING: {
    meaning: 'QuickBooks has no exchange rate for the date.',
    fix: 'Enter the rate in QuickBooks (Settings > Currencies).',
  },
  EXCHANGE_RATE_UNREAD: {
    meaning: 'The exchange rate cannot be read: Intuit’s monthly read limit is reached.',
    fix: 'None: it is posted when QuickBooks can be read.',
  },
  HOME_CURRENCY_MISMATCH: {
    meaning: 'Autotask and QuickBooks have different home currencies.',
    fix: 'Connect a QuickBooks company with the same home currency.',
  },
  CONTROL_TOTAL: {
    meaning: 'The lines and the invoice total differ by more than rounding.',
    fix: 'If a line is wrong in Autotask, void and reprocess the invoice. If the invoice is right, report both amounts to support.',
  },
  NO_LINES: { meaning: 'The invoice has no lines.', fix: 'Check it in Autotask.' },
  TOO_MANY_LINES: {
    meaning: 'A taxable invoice can have at most 750 lines in QuickBooks.',
    fix: 'Turn on “Group invoice lines”, or split the invoice in Autotask.',
  },
  NEGATIVE_INVOICE: {
    meaning: 'The invoice total is negative.',
    fix: 'Allow credit memos in Settings, or enter it by hand.',
  },
  VOID_HAS_PAYMENTS: {
    meaning: 'The voided invoice has a payment or credit applied.',
    fix: 'Remove it from the invoice in QuickBooks; the void is retried. If the sale is valid, issue a credit memo instead.',
  },
  PREPAID_MONEY_EXPIRED: {
    meaning: 'Work uses a purchase that has ended, whose money was posted to income by hand.',
    fix: 'Reverse that journal entry by the amount of the work, then sync again.',
  },
  PREPAID_MONEY_USED: {
    meaning:
      'The voided or lowered invoice sold prepaid work that was used, or a new invoice takes more prepaid money than the customer has.',
    fix: 'Invoice the prepaid work in Autotask and sync that; a void is retried.',
  },
  PREPAID_RATE_DIFFERS: {
    meaning: 'A foreign invoice bills other work and takes prepaid money that was sold at another exchange rate.',
    fix: 'Invoice the prepaid work separately in Autotask.',
  },
  VOID_OF_AN_EARLIER_MONTH: {
    meaning: 'The voided invoice belongs to an earlier month. Nothing was changed.',
    fix: 'Choose in Settings how to handle such voids: a credit memo dated today, or a void. For this invoice alone, void it in QuickBooks.',
  },
  CREDIT_MEMO_NOT_VOIDED: {
    meaning: 'A credit memo was voided in Autotask, and QuickBooks lets no application void it.',
    fix: 'Void it in QuickBooks. If it is applied to an invoice, remove it there first. Do not enter an invoice against it.',
  },
  LINK_DIFFERS: {
    meaning: 'The linked QuickBooks document belongs to something else, or changed.',
    fix: 'Compare both. Sync it as a new document, or fix the wrong side.',
  },
  MISSING_IN_BOOKS: {
    meaning: 'The document no longer exists in QuickBooks.',
    fix: 'See the Audit log in QuickBooks. Void the invoice in Autotask, or post it again from here. Do not enter it by hand: a copy is not linked.',
  },
  VOIDED_IN_BOOKS: {
    meaning: 'The invoice is voided in QuickBooks but not in Autotask.',
    fix: 'See the Audit log in QuickBooks. Void it in Autotask as well, or post it again from here. Do not enter it by hand.',
  },
  CHANGED_SINCE: {
    meaning: 'The total changed in Autotask after posting. Nothing changes automatically.',
    fix: 'Update QuickBooks while the invoice is unpaid and its period is open, or bill the difference.',
  },
  CANNOT_UPDATE: {
    meaning: 'The invoice was not updated, for example because it is paid.',
    fix: 'In Month-end close, refresh the month. Then update, bill the difference, or accept.',
  },
  CHANGED_ON_BOTH_SIDES: {
    meaning: 'The document was not updated: QuickBooks and the PSA both changed a field since it was synced.',
    fix: 'Choose whose values these fields get. The review shows the result first.',
  },
  CANNOT_BILL_DIFFERENCE: {
    meaning: 'The difference was not billed, for example because the customer differs.',
    fix: 'Enter the invoice or credit memo in QuickBooks, or fix the wrong side. Then accept the difference in Month-end close.',
  },
  DIFFERENCE_OPEN: {
    meaning: 'Autotask shows the invoice as paid, but a difference billed later is open.',
    fix: 'If it was paid, sync this payment by hand. If not, empty Paid Date in Autotask.',
  },
  DIFFERENCE_STANDS: {
    meaning: 'Another document bills a difference of this invoice.',
    fix: 'Void or delete that document in QuickBooks first. Then try again.',
  },
  RENUMBERED_IN_BOOKS: {
    meaning: 'The document has another number in QuickBooks.',
    fix: 'Restore the number in QuickBooks, or enter the new one in Autotask.',
  },
  EDITED_IN_BOOKS: {
    meaning: 'The document was changed in QuickBooks after the sync.',
    fix: 'Undo the change in QuickBooks, make it in Autotask too, or accept it in Month-end close. The Audit log shows who changed it.',
  },
  REPORT_WITHDRAWN: {
    meaning: 'An expense report, or items of it, was withdrawn in Autotask after its bill was posted.',
    fix: 'Update or delete the bill in QuickBooks, or approve the report again.',
  },
  DELETED_IN_PSA: {
    meaning: 'The document was deleted in Autotask within seconds of the sync, while QuickBooks created it.',
    fix: 'If nothing is owed for it, void or delete it in QuickBooks.',
  },
  ORDER_CANCELED: {
    meaning: 'The purchase order was canceled in Autotask after the sync.',
    fix: 'Close or delete it in QuickBooks. Cancellations are not synced.',
  },
  OPEN_AGAIN: {
    meaning: 'The invoice is open again in QuickBooks, but paid in Autotask.',
    fix: 'If the payment bounced, empty Paid Date in Autotask. If it still exists, apply it again. Do not record money that you did not receive.',
  },
  PAYMENT_MOVED: {
    meaning: 'A payment was removed from its invoice in QuickBooks.',
    fix: 'Apply the same payment again; do not enter a second one. If the money was not received, delete it and empty Paid Date in Autotask.',
  },
  EXTRA_GONE: {
    meaning:
      'A credit memo that reverses a voided invoice, or a document that bills a difference, is gone from QuickBooks.',
    fix: 'Void the invoice or bill the difference again under Month-end close, or correct the invoice in Autotask.',
  },
  VOID_TAKEN_BACK: {
    meaning: 'An invoice is not voided in Autotask any more, but a credit memo still reverses it in QuickBooks.',
    fix: 'Void or delete the credit memo in QuickBooks, or void the invoice in Autotask again.',
  },
  ENTERED_AGAIN: {
    meaning:
      'The QuickBooks document of an invoice was deleted or voided, and a document of the same customer and amount was entered by hand.',
    fix: 'Link it under Month-end close if it is the same sale. If it is another sale, sync the invoice again.',
  },
  NOTHING_TO_LINK: {
    meaning: 'The document that was to be linked to an invoice no longer exists in QuickBooks, or changed.',
    fix: 'Refresh the month under Month-end close, and check the invoice in QuickBooks.',
  },
  PAYMENT_GONE: {
    meaning: 'A payment that was created for a paid date of Autotask was deleted or voided in QuickBooks.',
    fix: 'If it bounced, empty Paid Date in Autotask. If it was deleted by mistake, create it again.',
  },
  OPEN_MONEY: {
    meaning:
      'Autotask shows an invoice as paid, and QuickBooks has money of the customer that is not applied to any invoice.',
    fix: 'Apply that money if it paid the invoice. If it is for something else, create a new payment.',
  },
  PAID_DATE_UNCONFIRMED: {
    meaning: 'A paid date appeared while records were lost in a restore. It can belong to a bounced payment.',
    fix: 'Check whether you received the money. If so, sync this payment by hand. If not, empty Paid Date in Autotask.',
  },
  PAID_DATE_CLEARED: {
    meaning: 'The paid date was removed in Autotask; the payment remains in QuickBooks.',
    fix: 'If you received the money, set the paid date again. If not, delete the payment in QuickBooks. If its deposit is reconciled, ask your accountant.',
  },
  QBO_VALIDATION: { meaning: 'QuickBooks rejected the document.', fix: 'Fix what QuickBooks names.' },
  QBO_UNREADABLE: {
    meaning:
      'QuickBooks has a record that it cannot return, often because of an invalid email address. Documents that may be this record wait.',
    fix: 'Open the record in QuickBooks, correct its email address, and save it.',
  },
  QBO_REFERENCE: {
    meaning: 'A record used by the document was deleted, merged or made inactive in QuickBooks.',
    fix: 'Make it active there, or refresh the lists and map another record. Then sync again. Do not enter the document by hand.',
  },
  COMPANY_CHANGED: {
    meaning: 'The document was unfinished when another company was connected. It can exist in the former company.',
    fix: 'Look for it there. To post it to the new company, clear its sync status.',
  },
  PSA_DOCUMENT_MISSING: {
    meaning: 'Autotask does not have the document, or the API user cannot read it.',
    fix: 'Check the id and the permissions of the API user.',
  },
  DEFECT: {
    meaning: 'Tallybridge failed on this document. Nothing was sent.',
    fix: 'Send the reference to support. Sync the document by hand to retry.',
  },
  PSA_VALIDATION: { meaning: 'Autotask rejected the change.', fix: 'Fix what Autotask names.' },
  MILESTONE_CREDIT_UNCLEAR: {
    meaning: 'An adjustment may credit several milestones with different items.',
    fix: 'Void the invoice in Autotask, enter one adjustment per milestone with its exact amount, and invoice again.',
  },
  PERIOD_CLOSED: {
    meaning: "The QuickBooks period is closed for the document's date.",
    fix: 'Open the period, change the date in Autotask, or choose the first open day in Settings.',
  },
  TAX_REGION_NOT_MATCHED: {
    meaning: "QuickBooks has no tax rate with the region's name.",
    fix: 'Add the rate in QuickBooks, or map the region under Tax Regions.',
  },
  TAX_WOULD_DIFFER: {
    meaning: 'QuickBooks would charge another sales tax than Autotask billed.',
    fix: 'Fix the rate on either side, or raise the limit in Settings.',
  },
  TAX_EXEMPT_CONFLICT: {
    meaning: 'The customer is exempt in one system and taxed in the other.',
    fix: 'Void and reprocess the invoice without tax, or fix the tax settings of the company.',
  },
  CURRENCY_NOT_KEPT: {
    meaning: 'The company is billed in a currency that QuickBooks does not use.',
    fix: 'Turn on Multicurrency in QuickBooks (permanent), or choose home currency in Settings.',
  },
  PREPAID_ACCOUNT_UNDECIDED: {
    meaning: 'The invoice sells prepaid work, and no account is chosen for it.',
    fix: 'Choose the liability account in Settings, Invoices, or map the billing code to an income item.',
  },
  PREPAID_SALE_NOT_SYNCED: {
    meaning: 'The invoice has work that an earlier invoice sold in advance, and that invoice is not in QuickBooks yet.',
    fix: 'Sync that invoice first. The next sync then posts this one.',
  },
  PREPAID_BALANCE_UNREAD: {
    meaning: 'The prepaid balance cannot be checked: Intuit’s monthly read limit is reached.',
    fix: 'None: it is posted when QuickBooks can be read.',
  },
  CREDIT_TAX_WOULD_DIFFER: {
    meaning: "Today's rates would give the credit memo another tax than its invoice.",
    fix: "Enter the credit memo in QuickBooks with the invoice's tax and its number in the memo, or void the invoice there. Either is recognized.",
  },
  QBO_STALE: { meaning: 'The record changed in QuickBooks during the sync.', fix: 'None.' },
  QBO_READS_BLOCKED: { meaning: "Intuit's monthly read limit is reached. Posting continues.", fix: 'None.' },
  QBO_THROTTLED: { meaning: 'QuickBooks limits calls.', fix: 'None.' },
  QBO_UNAVAILABLE: { meaning: 'QuickBooks does not respond or reports an error.', fix: 'None.' },
  QBO_READ_REFUSED: {
    meaning: 'QuickBooks refuses to return a list or report. The message contains the reason.',
    fix: 'The next sync tries again. If it fails again, check the users and the plan in QuickBooks, then send the message to support.',
  },
  PSA_UNAVAILABLE: { meaning: 'Autotask does not respond or reports an error.', fix: 'None.' },
  PSA_READ_REFUSED: {
    meaning: 'Autotask refuses to return a list. The message contains the reason.',
    fix: 'Give the API user a security level that can read these records. If it fails again, send the message to support.',
  },
  PSA_LIMIT: { meaning: "Autotask's hourly API limit is reached.", fix: 'None.' },
  NUMBERING_MISMATCH: {
    meaning: "The numbering setting and QuickBooks' custom transaction numbers disagree.",
    fix: 'Change the invoice numbering in Settings, or custom transaction numbers in QuickBooks.',
  },
  QBO_SUBSCRIPTION: { meaning: 'The QuickBooks subscription is not active.', fix: 'Renew it in QuickBooks.' },
  QBO_PERMISSION: {
    meaning: 'The connected QuickBooks user lacks a permission.',
    fix: 'Make the user a company administrator, or reconnect as one.',
  },
  QBO_PLAN: {
    meaning: "The QuickBooks plan or the user's role lacks the feature.",
    fix: 'Check the plan, and make the connected user a company administrator.',
  },
  QBO_COMPANY_DELETED: {
    meaning: 'The connected QuickBooks company was deleted.',
    fix: 'Open it in QuickBooks. If it no longer exists, connect another company.',
  },
  QBO_COMPANY_UNAVAILABLE: {
    meaning: 'QuickBooks made the company unavailable. Nothing was posted.',
    fix: 'Wait: syncing resumes automatically.',
  },
  PSA_COSTS_HIDDEN: {
    meaning: 'The Autotask API user cannot read costs.',
    fix: 'Give the API user a security level with costs.',
  },
  PSA_NOT_STORED: {
    meaning: 'Autotask accepted a value but did not store it.',
    fix: 'Check that the API user can edit the field and that no workflow rule changes it.',
  },
  QBO_AUTH: { meaning: 'QuickBooks needs to be reconnected.', fix: 'Reconnect under Connections.' },
  PSA_AUTH: {
    meaning: 'Autotask needs to be reconnected.',
    fix: 'Reconnect under Connections. If it fails again, ask the operator to check the tracking identifier.',
  },
  TERM_NOT_FOUND: {
    meaning: 'QuickBooks has no active term with this name. The due date was sent.',
    fix: 'To show the term, create it in QuickBooks.',
  },
  DUE_DATE_DIFFERS: { meaning: 'QuickBooks computed another due date than Autotask.', fix: null },
  EXCHANGE_RATE_DOUBTFUL: {
    meaning: 'The exchange rate in QuickBooks is 1, or gives another home amount than Autotask.',
    fix: 'Correct the rate in QuickBooks or Autotask, or raise the limit in Settings.',
  },
  EXCHANGE_RATE_DIFFERS: {
    meaning: 'QuickBooks used another exchange rate than was sent.',
    fix: 'Fix the rate in QuickBooks, or accept the difference.',
  },
  TAX_CODE_GUESSED: {
    meaning: 'No tax code is mapped for lines without tax. One was chosen by its name.',
    fix: 'Check the code on the document, and map the tax region or “Lines without tax” under Tax Regions.',
  },
  TAX_OF_PSA_NOT_FINAL: {
    meaning: 'Autotask lets QuickBooks calculate the tax, so the invoice waits. Its own hub posts such invoices.',
    fix: 'See the guide on switching: leave the invoices to the hub, or return to Autotask’s own taxes.',
  },
  TAX_DIFFERS: {
    meaning: 'QuickBooks and Autotask have different sales tax.',
    fix: "Send the client QuickBooks' invoice, or override the tax there. A setting chooses whose tax counts.",
  },
  TAX_NOT_AS_COMPUTED: {
    meaning: 'QuickBooks charged another tax than its rates give.',
    fix: 'Check the rates of the tax code in QuickBooks.',
  },
  CHILD_NOT_BELOW_PARENT: {
    meaning: "The child's customer is not a sub-customer of the parent.",
    fix: 'Make it a sub-customer in QuickBooks, or map the company to one. Do not move the document by hand.',
  },
  CLASS_NOT_MAPPED: { meaning: 'A line of business has no class.', fix: 'Map it under Lines of Business.' },
  CLASSES_DIFFER: {
    meaning: 'The lines have several classes, and QuickBooks allows one per invoice. None was set.',
    fix: 'Track classes per line in QuickBooks, or map them to one class.',
  },
  LOCATION_NOT_MAPPED: {
    meaning: 'A line of business or department has no location. None was set.',
    fix: "Map it, or give a QuickBooks location the department's name.",
  },
  LOCATIONS_DIFFER: {
    meaning: 'The lines have several locations, and QuickBooks allows one per document. None was set.',
    fix: 'Map them to one location, or bill each separately.',
  },
  TEXT_CUT: {
    meaning: 'A text is longer than QuickBooks allows and was shortened.',
    fix: 'Shorten it in Autotask, or send the client the full text separately.',
  },
  RECORD_INACTIVE: {
    meaning: 'A mapped class or location is inactive in QuickBooks. The document was posted without it.',
    fix: 'Make it active in QuickBooks, or map another one.',
  },
  RECORD_INACTIVE_HELD: {
    meaning: 'A mapped class or location is inactive in QuickBooks, and a setting holds such documents.',
    fix: 'Make it active in QuickBooks, map another one, or change the setting.',
  },
  CUSTOM_FIELD_CUT: { meaning: 'The value of a custom field was shortened to 31 characters.', fix: null },
  CURRENCY_IGNORED: { meaning: 'The company has another currency; the amounts are in the home currency.', fix: null },
  EMAIL_UNUSABLE: {
    meaning: "The contact's email address is not valid for QuickBooks. The invoice was posted and not emailed.",
    fix: 'Fix the address in Autotask, or enter one at the customer in QuickBooks.',
  },
  NO_EMAIL: {
    meaning: 'The customer has no email address. The invoice was not emailed.',
    fix: 'Enter an address in QuickBooks.',
  },
  MAIL_NOT_SENT: {
    meaning: 'QuickBooks did not send the email. The invoice is posted.',
    fix: 'Send it from QuickBooks. Do not sync it again: that creates a second invoice.',
  },
  NAME_SUFFIXED: { meaning: 'The name is taken in QuickBooks; a suffix was added.', fix: null },
  ROUNDING: { meaning: 'A rounding line makes up the difference to the invoice total.', fix: null },
  ADVANCE_EXCEEDS_EXPENSES: {
    meaning: 'The cash advance exceeds the expenses. The bill is 0.00.',
    fix: 'Deduct the rest from the next report, or record its return in QuickBooks.',
  },
  SUBTOTAL_MISMATCH: {
    meaning: 'QuickBooks shows another subtotal than was sent.',
    fix: 'Compare the lines and fix them in QuickBooks. Do not sync it again.',
  },
  DATE_MOVED: { meaning: 'The document is dated on the first open day, because its period is closed.', fix: null },
  DELETED_IN_BOOKS: { meaning: 'The invoice was deleted in QuickBooks.', fix: null },
  PAYMENT_LEAVES_OPEN: {
    meaning: 'The payment is less than the QuickBooks total. The rest stays open.',
    fix: 'Fix the invoice in QuickBooks, or write off the rest with a credit memo. Do not record it as paid.',
  },
  CREDIT_TAX_DIFFERS: {
    meaning: 'The credit memo has another tax than its invoice.',
    fix: 'Override the tax of the credit memo in QuickBooks. Do not void the invoice as well.',
  },
  CREDIT_TO_APPLY: {
    meaning: 'The credit memo and its invoice are open until it is applied.',
    fix: 'Apply it in QuickBooks (Receive payment). Do not void the invoice as well.',
  },
  PREPAID_USED_UP: {
    meaning: 'A prepaid contract covers work, but QuickBooks has no prepaid money for it. No income is posted.',
    fix: 'If the client owes it, bill it in Autotask. If it was sold before the first sync, post the income by hand.',
  },
  PREPAID_OUTSIDE_DATES: {
    meaning: 'Covered work is dated outside the start and end of its block, retainer or tickets. No income is posted.',
    fix: 'Correct the dates of the purchase in Autotask and update the invoice. If the client owes the work, bill it.',
  },
  ITEM_NAME_CUT: {
    meaning: 'The item name was shortened to 100 characters.',
    fix: 'Long names can share one item. Map the billing codes to separate items, or shorten the names.',
  },
  LINES_LEFT_OUT: {
    meaning: 'Lines of unmapped lines of business were left out.',
    fix: 'Map them, or turn off “Only sync mapped lines of business”.',
  },
};
