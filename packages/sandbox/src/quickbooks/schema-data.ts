/**
 * Every member that the QuickBooks Online Accounting API knows, distilled from the QuickBooks reference's schema file
 * into one short notation, read by `schema.ts`:
 *
 *     Name:type      s text, n decimal, b boolean, d date, t date-time, i whole number, id, any, or a type or list below
 *     Name:type[]    a JSON array of it
 *     Name:s(21)     at most 21 characters; `(3..3)` also gives the least
 *     Name:i{0..999} a whole number within these bounds
 *     Name:type!     assigned by the service: tolerated in a request and ignored
 *
 * Id, SyncToken, MetaData, domain, status and sparse belong to every entity and are not repeated. The last eight
 * entities are not in the schema file; their members follow the reference's prose and common knowledge of the API.
 */
export const entityFields: Readonly<Record<string, string>> = {
  Invoice: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum
    DepartmentRef:ReferenceType CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s
    LinkedTxn:LinkedTxn[] Line:Line[] TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s
    TransactionLocationType:s Tag:Tag[] TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType!
    RecurringInfo:RecurringInfo ProjectRef:ReferenceType TotalCostAmount:n HomeTotalCostAmount:n AutoDocNumber:b
    CustomerRef:ReferenceType CustomerMemo:MemoRef BillAddr:PhysicalAddress ShipAddr:PhysicalAddress
    FreeFormAddress:b! ShipFromAddr:PhysicalAddress ClassRef:ReferenceType SalesTermRef:ReferenceType DueDate:d
    AllowOnlineAffirmPayment:b EInvoiceStatus:s! RetainageAmount:n! PONumber:s(15) FOB:s(15) ShipMethodRef:ReferenceType ShipDate:d TrackingNum:s
    GlobalTaxCalculation:GlobalTaxCalculationEnum TotalAmt:n! HomeTotalAmt:n! ApplyTaxAfterDiscount:b
    ShippingTaxIncludedInTotalTax:b PrintStatus:PrintStatusEnum EmailStatus:EmailStatusEnum BillEmail:EmailAddress
    BillEmailCc:EmailAddress BillEmailBcc:EmailAddress Balance:n! HomeBalance:n! FinanceCharge:b
    PaymentMethodRef:ReferenceType PaymentRefNum:s PaymentType:PaymentTypeEnum CheckPayment:CheckPayment
    CreditCardPayment:CreditCardPayment DepositToAccountRef:ReferenceType DeliveryInfo:TransactionDeliveryInfo!
    DiscountRate:n DiscountAmt:n GovtTxnRefIdentifier:s(30) TaxExemptionRef:ReferenceType! Deposit:n
    AllowIPNPayment:b AllowOnlinePayment:b AllowOnlineCreditCardPayment:b AllowOnlineACHPayment:b
    AllowOnlinePayPalPayment:b AllowOnlineAffirmPayment:b EInvoiceStatus:ETransactionStatusEnum
    ECloudStatusTimeStamp:t CfdiUse:i Exportation:s GlobalInfo:MXGlobalInfo invoiceStatus:s callToAction:s
    invoiceStatusLog:StatusInfo[] LessCIS:n InvoiceLink:s! PaymentDetailsMessage:s
    ConvenienceFeeDetail:ConvenienceFeeDetail EnabledSurchargeInfo:EnabledSurchargeInfo InvoiceLinkSecurityCode:s
    InvoiceLinkExpiryDate:d AutoPayEligible:b SchedulePayEligible:b ScheduledPaymentId:s GratuityEnabled:b
    FinancingProductType:FinancingProductTypeEnum SubscriptionPaymentsSetting:SubscriptionPaymentsSettingEnum
    TxnRetainageDetail:TxnRetainageDetail`,
  CreditMemo: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum
    DepartmentRef:ReferenceType CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s
    LinkedTxn:LinkedTxn[] Line:Line[] TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s
    TransactionLocationType:s Tag:Tag[] TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType!
    RecurringInfo:RecurringInfo ProjectRef:ReferenceType TotalCostAmount:n HomeTotalCostAmount:n AutoDocNumber:b
    CustomerRef:ReferenceType CustomerMemo:MemoRef BillAddr:PhysicalAddress ShipAddr:PhysicalAddress
    FreeFormAddress:b ShipFromAddr:PhysicalAddress ClassRef:ReferenceType SalesTermRef:ReferenceType DueDate:d
    PONumber:s(15) FOB:s(15) GlobalTaxCalculation:GlobalTaxCalculationEnum TotalAmt:n HomeTotalAmt:n!
    ApplyTaxAfterDiscount:b ShippingTaxIncludedInTotalTax:b PrintStatus:PrintStatusEnum EmailStatus:EmailStatusEnum
    BillEmail:EmailAddress BillEmailCc:EmailAddress BillEmailBcc:EmailAddress Balance:n! HomeBalance:n!
    FinanceCharge:b PaymentMethodRef:ReferenceType! PaymentRefNum:s PaymentType:PaymentTypeEnum
    CheckPayment:CheckPayment CreditCardPayment:CreditCardPayment DepositToAccountRef:ReferenceType
    DeliveryInfo:TransactionDeliveryInfo DiscountRate:n DiscountAmt:n GovtTxnRefIdentifier:s(30)
    TaxExemptionRef:ReferenceType! RemainingCredit:n! InvoiceRef:ReferenceType`,
  PurchaseOrder: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum
    DepartmentRef:ReferenceType CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s
    LinkedTxn:LinkedTxn[] Line:Line[] TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s
    TransactionLocationType:s Tag:Tag[] TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType!
    RecurringInfo:RecurringInfo ProjectRef:ReferenceType TotalCostAmount:n HomeTotalCostAmount:n
    VendorRef:ReferenceType APAccountRef:ReferenceType TotalAmt:n! Memo:s(4000)
    GlobalTaxCalculation:GlobalTaxCalculationEnum TaxCodeRef:ReferenceType ClassRef:ReferenceType
    ReimbursableInfoRef:ReferenceType SalesTermRef:ReferenceType DueDate:d ExpectedDate:d VendorAddr:PhysicalAddress
    ShipTo:ReferenceType DropShipToEntity:ReferenceType InventorySiteRef:ReferenceType ShipAddr:PhysicalAddress
    ShipMethodRef:ReferenceType FOB:s(15) POEmail:EmailAddress TemplateRef:ReferenceType PrintStatus:PrintStatusEnum
    EmailStatus:EmailStatusEnum ManuallyClosed:b POStatus:PurchaseOrderStatusEnum`,
  Bill: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s TransactionLocationType:s Tag:Tag[]
    TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType! RecurringInfo:RecurringInfo ProjectRef:ReferenceType
    TotalCostAmount:n HomeTotalCostAmount:n VendorRef:ReferenceType APAccountRef:ReferenceType TotalAmt:n!
    GlobalTaxCalculation:GlobalTaxCalculationEnum SalesTermRef:ReferenceType DueDate:d RemitToAddr:PhysicalAddress
    ShipAddr:PhysicalAddress VendorAddr:PhysicalAddress Balance:n! HomeBalance:n! LessCIS:n IncludeInAnnualTPAR:b`,
  Payment: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s TransactionLocationType:s Tag:Tag[]
    TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType RecurringInfo:RecurringInfo ProjectRef:ReferenceType
    TotalCostAmount:n HomeTotalCostAmount:n CustomerRef:ReferenceType RemitToRef:ReferenceType
    ARAccountRef:ReferenceType DepositToAccountRef:ReferenceType PaymentMethodRef:ReferenceType PaymentRefNum:s
    PaymentType:PaymentTypeEnum CheckPayment:CheckPayment CreditCardPayment:CreditCardPayment TotalAmt:n
    UnappliedAmt:n! ProcessPayment:b PaymentExtendedType:PaymentExtendedTypeEnum TaxExemptionRef:ReferenceType!`,
  BillPayment: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s TransactionLocationType:s Tag:Tag[]
    TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType RecurringInfo:RecurringInfo ProjectRef:ReferenceType
    TotalCostAmount:n HomeTotalCostAmount:n VendorRef:ReferenceType VendorAddr:PhysicalAddress
    APAccountRef:ReferenceType PayType:BillPaymentTypeEnum CheckPayment:BillPaymentCheck
    CreditCardPayment:BillPaymentCreditCard TotalAmt:n ProcessBillPayment:b`,
  Customer: `
    AttachableRef:AttachableRef[] IntuitId:s Title:s(16) GivenName:s(100) MiddleName:s(100) FamilyName:s(100)
    Suffix:s(16) FullyQualifiedName:s! CompanyName:s(100) DisplayName:s(500) PrintOnCheckName:s(110) Active:b
    V4IDPseudonym:s! PrimaryPhone:TelephoneNumber AlternatePhone:TelephoneNumber Mobile:TelephoneNumber
    Fax:TelephoneNumber PrimaryEmailAddr:EmailAddress WebAddr:WebSiteAddress DefaultTaxCodeRef:ReferenceType
    Taxable:b BillAddr:PhysicalAddress ShipAddr:PhysicalAddress Notes:s(2000) Job:b BillWithParent:b
    RootCustomerRef:ReferenceType ParentRef:ReferenceType Level:i! CustomerTypeRef:ReferenceType
    SalesTermRef:ReferenceType PaymentMethodRef:ReferenceType CCDetail:CreditChargeInfo Balance:n OpenBalanceDate:d
    BalanceWithJobs:n CurrencyRef:ReferenceType PreferredDeliveryMethod:s ResaleNum:s(16) JobInfo:JobInfo
    TDSEnabled:b SecondaryTaxIdentifier:s ARAccountRef:ReferenceType PrimaryTaxIdentifier:s TaxExemptionReasonId:s
    IsProject:b! BusinessNumber:s(10) GSTIN:s(15) GSTRegistrationType:s(15) IsCISContractor:b ClientCompanyId:s
    ClientEntityId:s! Source:s TaxRegime:s`,
  Vendor: `
    AttachableRef:AttachableRef[] IntuitId:s Title:s(16) GivenName:s(100) MiddleName:s(100) FamilyName:s(100)
    Suffix:s(16) FullyQualifiedName:s CompanyName:s(100) DisplayName:s(500) PrintOnCheckName:s(100) Active:b
    V4IDPseudonym:s! PrimaryPhone:TelephoneNumber AlternatePhone:TelephoneNumber Mobile:TelephoneNumber
    Fax:TelephoneNumber PrimaryEmailAddr:EmailAddress WebAddr:WebSiteAddress OtherContactInfo:ContactInfo[]
    DefaultTaxCodeRef:ReferenceType ContactName:s AltContactName:s Notes:s(1024) BillAddr:PhysicalAddress
    ShipAddr:PhysicalAddress TaxIdentifier:s(20) TaxIdEffectiveDate:d BusinessNumber:s(10) ParentRef:ReferenceType
    TermRef:ReferenceType Balance:n! BillRate:n OpenBalanceDate:d CreditLimit:n AcctNum:s(100) Vendor1099:b
    T4AEligible:b T5018Eligible:b CurrencyRef:ReferenceType TDSEnabled:b TDSEntityTypeId:i TDSSectionTypeId:i
    TDSOverrideThreshold:b TaxReportingBasis:s APAccountRef:ReferenceType GSTIN:s(15) GSTRegistrationType:s(15)
    IsSubContractor:b SubcontractorType:s CISRate:s HasTPAR:b VendorPaymentBankDetail:VendorBankAccountDetail
    Source:s CostRate:n AgencyVerificationStatus:AgencyVerificationStatus AgencyVerificationStatusMsg:s
    AgencyVerificationTSUTC:t CompanyRegistrationNumber:s`,
  Employee: `
    AttachableRef:AttachableRef[] IntuitId:s Organization:b Title:s(16) GivenName:s(100) MiddleName:s(100)
    FamilyName:s(100) Suffix:s(16) FullyQualifiedName:s CompanyName:s DisplayName:s(500) PrintOnCheckName:s(100)
    Active:b V4IDPseudonym:s! PrimaryPhone:TelephoneNumber AlternatePhone:TelephoneNumber Mobile:TelephoneNumber
    Fax:TelephoneNumber PrimaryEmailAddr:EmailAddress WebAddr:WebSiteAddress DefaultTaxCodeRef:ReferenceType
    EmployeeType:s EmployeeNumber:s(100) SSN:s(100) PrimaryAddr:PhysicalAddress OtherAddr:PhysicalAddress[]
    BillableTime:b BillRate:n BirthDate:d Gender:gender HiredDate:d ReleasedDate:d
    UseTimeEntry:TimeEntryUsedForPaychecksEnum CostRate:n Notes:s(4000)`,
  Item: `
    AttachableRef:AttachableRef[] Name:s(100) Sku:s(100) Description:s(4000) Active:b SubItem:b
    ParentRef:ReferenceType Level:i! FullyQualifiedName:s! Taxable:b SalesTaxIncluded:b PercentBased:b UnitPrice:n
    RatePercent:n Type:ItemTypeEnum PaymentMethodRef:ReferenceType UOMSetRef:ReferenceType
    IncomeAccountRef:ReferenceType PurchaseDesc:s(1000) PurchaseTaxIncluded:b PurchaseCost:n
    ExpenseAccountRef:ReferenceType COGSAccountRef:ReferenceType AssetAccountRef:ReferenceType
    PrefVendorRef:ReferenceType AvgCost:n TrackQtyOnHand:b QtyOnHand:n QtyOnPurchaseOrder:n QtyOnSalesOrder:n
    ReorderPoint:n ManPartNum:s DepositToAccountRef:ReferenceType SalesTaxCodeRef:ReferenceType
    PurchaseTaxCodeRef:ReferenceType InvStartDate:d BuildPoint:n SpecialItem:b SpecialItemType:SpecialItemTypeEnum
    ItemGroupDetail:ItemGroupDetail ItemAssemblyDetail:ItemAssemblyDetail AbatementRate:n ReverseChargeRate:n
    ServiceType:s ItemCategoryType:s TaxClassificationRef:ReferenceType UQCDisplayText:s(25) UQCId:s
    ClassRef:ReferenceType Source:s DeferredRevenue:b CustomExtensions:CustomExtensions[]`,
  Account: `
    AttachableRef:AttachableRef[] Name:s(100) SubAccount:b! ParentRef:ReferenceType Description:s(100)
    FullyQualifiedName:s! AccountAlias:s(100) TxnLocationType:s(50) Active:b
    Classification:AccountClassificationEnum! AccountType:AccountTypeEnum AccountSubType:s
    AccountPurposes:ReferenceType[] AcctNum:s AcctNumExtn:s OpeningBalance:n OpeningBalanceDate:d CurrentBalance:n!
    CurrentBalanceWithSubAccounts:n! CurrencyRef:ReferenceType TaxAccount:b TaxCodeRef:ReferenceType
    OnlineBankingEnabled:b FIName:s JournalCodeRef:ReferenceType`,
  Class: `
    AttachableRef:AttachableRef[] Name:s(100) SubClass:b! ParentRef:ReferenceType FullyQualifiedName:s! Active:b`,
  Department: `
    AttachableRef:AttachableRef[] Name:s(100) SubDepartment:b! ParentRef:ReferenceType FullyQualifiedName:s!
    Active:b Address:PhysicalAddress`,
  Term: `
    AttachableRef:AttachableRef[] Name:s(31) Active:b Type:s! DiscountPercent:n{0..100} DueDays:i{0..999}
    DiscountDays:i{0..999} DayOfMonthDue:i{1..31} DueNextMonthDays:i{0..999} DiscountDayOfMonth:i{0..31}`,
  TaxCode: `
    AttachableRef:AttachableRef[] Name:s(100) Description:s(100) Active:b Hidden:b! Taxable:b! TaxGroup:b!
    SalesTaxRateList:TaxRateList PurchaseTaxRateList:TaxRateList AdjustmentTaxRateList:TaxRateList
    TaxCodeConfigType:GTMConfigTypeEnum!`,
  TaxRate: `
    AttachableRef:AttachableRef[] Name:s(100)! Description:s(100)! Active:b! RateValue:n! AgencyRef:ReferenceType!
    TaxReturnLineRef:ReferenceType! EffectiveTaxRate:EffectiveTaxRate[]! SpecialTaxType:SpecialTaxTypeEnum!
    DisplayType:TaxRateDisplayTypeEnum! OriginalTaxRate:ReferenceType!`,
  TaxAgency: `
    DisplayName:s(100) TaxRegistrationNumber:s! TaxTrackedOnPurchases:b! TaxTrackedOnSales:b! LastFileDate:d!
    TaxAgencyConfig:s!`,
  Preferences: `
    AttachableRef:AttachableRef[] AccountingInfoPrefs:CompanyAccountingPrefs
    AdvancedInventoryPrefs:AdvancedInventoryPrefs ProductAndServicesPrefs:ProductAndServicesPrefs
    SalesFormsPrefs:SalesFormsPrefs EmailMessagesPrefs:EmailMessagesPrefs PrintDocumentPrefs:PrintDocumentPrefs
    VendorAndPurchasesPrefs:VendorAndPurchasesPrefs TimeTrackingPrefs:TimeTrackingPrefs TaxPrefs:TaxPrefs
    FinanceChargesPrefs:FinanceChargePrefs CurrencyPrefs:CurrencyPrefs ReportPrefs:ReportPrefs OtherPrefs:OtherPrefs`,
  CompanyInfo: `
    AttachableRef:AttachableRef[] CompanyName:s(1024) LegalName:s(1024) CompanyAddr:PhysicalAddress
    CustomerCommunicationAddr:PhysicalAddress LegalAddr:PhysicalAddress CompanyEmailAddr:EmailAddress
    CustomerCommunicationEmailAddr:EmailAddress CompanyURL:WebSiteAddress PrimaryPhone:TelephoneNumber
    CompanyStartDate:d! EmployerId:s FiscalYearStartMonth:MonthEnum TaxYearStartMonth:MonthEnum QBVersion:s(512)
    Country:s ShipAddr:PhysicalAddress OtherAddr:PhysicalAddress[] Mobile:TelephoneNumber Fax:TelephoneNumber
    Email:EmailAddress WebAddr:WebSiteAddress LastImportedTime:t SupportedLanguages:s DefaultTimeZone:s
    MultiByteCharsSupported:b NameValue:NameValue[] FifoCalculationStatus:FifoCalculationStatus`,
  ExchangeRate: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] SourceCurrencyCode:s(3) TargetCurrencyCode:s(3) Rate:n
    AsOfDate:d`,
  Attachable: `
    AttachableRef:AttachableRef[] FileName:s(1000) FileAccessUri:s! TempDownloadUri:s! Size:i! ContentType:s(100)
    Category:s(100) Lat:s(100) Long:s(100) PlaceName:s(2000) Note:s(2000) Tag:s(2000) ThumbnailFileAccessUri:s!
    ThumbnailTempDownloadUri:s! documentId:s`,
  CompanyCurrency: `
    AttachableRef:AttachableRef[] Code:s(3..3) Name:s Active:b`,
  PaymentMethod: `
    AttachableRef:AttachableRef[] Name:s(31) Active:b Type:s`,
  VendorCredit: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d TxnSubType:TxnSubTypeEnum DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TaxFormType:s TaxFormNum:s TransactionLocationType:s Tag:Tag[]
    TxnApprovalInfo:TxnApprovalInfo RecurDataRef:ReferenceType! RecurringInfo:RecurringInfo ProjectRef:ReferenceType
    TotalCostAmount:n HomeTotalCostAmount:n VendorRef:ReferenceType APAccountRef:ReferenceType TotalAmt:n!
    GlobalTaxCalculation:GlobalTaxCalculationEnum VendorAddr:PhysicalAddress Balance:n! IncludeInAnnualTPAR:b`,
  Estimate: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType!
    ProjectRef:ReferenceType AutoDocNumber:b CustomerRef:ReferenceType CustomerMemo:MemoRef BillAddr:PhysicalAddress
    ShipAddr:PhysicalAddress FreeFormAddress:b! ShipFromAddr:PhysicalAddress ClassRef:ReferenceType
    SalesTermRef:ReferenceType DueDate:d ShipMethodRef:ReferenceType ShipDate:d
    GlobalTaxCalculation:GlobalTaxCalculationEnum TotalAmt:n! HomeTotalAmt:n! ApplyTaxAfterDiscount:b
    PrintStatus:PrintStatusEnum EmailStatus:EmailStatusEnum BillEmail:EmailAddress BillEmailCc:EmailAddress
    BillEmailBcc:EmailAddress DeliveryInfo:TransactionDeliveryInfo! TaxExemptionRef:ReferenceType! ExpirationDate:d
    AcceptedBy:s AcceptedDate:d`,
  SalesReceipt: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType!
    ProjectRef:ReferenceType AutoDocNumber:b CustomerRef:ReferenceType CustomerMemo:MemoRef BillAddr:PhysicalAddress
    ShipAddr:PhysicalAddress FreeFormAddress:b! ShipFromAddr:PhysicalAddress ClassRef:ReferenceType
    ShipMethodRef:ReferenceType ShipDate:d TrackingNum:s GlobalTaxCalculation:GlobalTaxCalculationEnum TotalAmt:n!
    HomeTotalAmt:n! ApplyTaxAfterDiscount:b PrintStatus:PrintStatusEnum EmailStatus:EmailStatusEnum
    BillEmail:EmailAddress BillEmailCc:EmailAddress BillEmailBcc:EmailAddress Balance:n! HomeBalance:n!
    DeliveryInfo:TransactionDeliveryInfo! PaymentRefNum:s(21) PaymentMethodRef:ReferenceType
    PaymentType:PaymentTypeEnum CheckPayment:CheckPayment CreditCardPayment:CreditCardPayment
    DepositToAccountRef:ReferenceType TaxExemptionRef:ReferenceType!`,
  RefundReceipt: `
    CustomField:CustomField[] AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d DepartmentRef:ReferenceType
    CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[]
    TxnTaxDetail:TxnTaxDetail TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType!
    ProjectRef:ReferenceType AutoDocNumber:b CustomerRef:ReferenceType CustomerMemo:MemoRef BillAddr:PhysicalAddress
    ShipAddr:PhysicalAddress FreeFormAddress:b! ClassRef:ReferenceType GlobalTaxCalculation:GlobalTaxCalculationEnum
    TotalAmt:n! HomeTotalAmt:n! ApplyTaxAfterDiscount:b PrintStatus:PrintStatusEnum EmailStatus:EmailStatusEnum
    BillEmail:EmailAddress Balance:n! HomeBalance:n! DeliveryInfo:TransactionDeliveryInfo! PaymentRefNum:s(21)
    PaymentMethodRef:ReferenceType PaymentType:PaymentTypeEnum CheckPayment:CheckPayment
    CreditCardPayment:CreditCardPayment DepositToAccountRef:ReferenceType TaxExemptionRef:ReferenceType!`,
  Purchase: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d DepartmentRef:ReferenceType CurrencyRef:ReferenceType
    ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[] TxnTaxDetail:TxnTaxDetail
    TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType! AccountRef:ReferenceType
    PaymentMethodRef:ReferenceType PaymentRefNum:s(21) PaymentType:PaymentTypeEnum CheckPayment:CheckPayment
    EntityRef:ReferenceType Credit:b RemitToAddr:PhysicalAddress TotalAmt:n! PrintStatus:PrintStatusEnum
    GlobalTaxCalculation:GlobalTaxCalculationEnum`,
  Deposit: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d DepartmentRef:ReferenceType CurrencyRef:ReferenceType
    ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[] TxnTaxDetail:TxnTaxDetail
    TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType! DepositToAccountRef:ReferenceType
    CashBack:CashBackInfo TotalAmt:n! HomeTotalAmt:n! GlobalTaxCalculation:GlobalTaxCalculationEnum`,
  JournalEntry: `
    AttachableRef:AttachableRef[] DocNumber:s(21) TxnDate:d DepartmentRef:ReferenceType CurrencyRef:ReferenceType
    ExchangeRate:n PrivateNote:s(4000) TxnStatus:s LinkedTxn:LinkedTxn[] Line:Line[] TxnTaxDetail:TxnTaxDetail
    TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType! Adjustment:b TotalAmt:n! HomeTotalAmt:n!
    GlobalTaxCalculation:GlobalTaxCalculationEnum`,
  Transfer: `
    AttachableRef:AttachableRef[] TxnDate:d CurrencyRef:ReferenceType ExchangeRate:n PrivateNote:s(4000) TxnStatus:s
    TxnSource:s TransactionLocationType:s RecurDataRef:ReferenceType! FromAccountRef:ReferenceType
    ToAccountRef:ReferenceType Amount:n`,
  TimeActivity: `
    AttachableRef:AttachableRef[] TxnDate:d NameOf:TimeActivityTypeEnum EmployeeRef:ReferenceType
    VendorRef:ReferenceType CustomerRef:ReferenceType ProjectRef:ReferenceType DepartmentRef:ReferenceType
    ItemRef:ReferenceType ClassRef:ReferenceType PayrollItemRef:ReferenceType BillableStatus:BillableStatusEnum
    Taxable:b HourlyRate:n CostRate:n BreakHours:i{0..99} BreakMinutes:i{0..59} StartTime:t EndTime:t
    Hours:i{0..8760} Minutes:i{0..59} Seconds:i{0..59} Description:s(4000) TransactionLocationType:s`,
};

/** Complex types that appear inside entities, in the same notation. */
export const typeFields: Readonly<Record<string, string>> = {
  ModificationMetaData: `
    CreateTime:t LastUpdatedTime:t LastModifiedByRef:ReferenceType`,
  CustomField: `
    DefinitionId:id Name:s! Type:CustomFieldTypeEnum! StringValue:s BooleanValue:b DateValue:d NumberValue:n`,
  AttachableRef: `
    EntityRef:ReferenceType LineInfo:id IncludeOnSend:b CustomField:CustomField[] NoRefOnly:b Inactive:b`,
  ReferenceType: `
    value:id name:s type:s`,
  LinkedTxn: `
    TxnId:id TxnType:s TxnLineId:id`,
  Line: `
    Id:id Description:s(4000) Amount:n Received:n LinkedTxn:LinkedTxn[] DetailType:LineDetailTypeEnum
    PaymentLineDetail:PaymentLineDetail DiscountLineDetail:DiscountLineDetail TaxLineDetail:TaxLineDetail
    SalesItemLineDetail:SalesItemLineDetail ItemBasedExpenseLineDetail:ItemBasedExpenseLineDetail
    AccountBasedExpenseLineDetail:AccountBasedExpenseLineDetail GroupLineDetail:GroupLineDetail
    SubTotalLineDetail:SubTotalLineDetail LineEx:any ProjectRef:ReferenceType CostAmount:n HomeCostAmount:n
    CustomExtensions:CustomExtensions[] LineNum:i DescriptionLineDetail:DescriptionLineDetail
    DepositLineDetail:DepositLineDetail JournalEntryLineDetail:JournalEntryLineDetail`,
  PaymentLineDetail: `
    ItemRef:ReferenceType ServiceDate:d ClassRef:ReferenceType Balance:n HomeBalance:n Discount:DiscountOverride`,
  DiscountOverride: `
    DiscountRef:ReferenceType PercentBased:b DiscountPercent:n DiscountAccountRef:ReferenceType`,
  DiscountLineDetail: `
    DiscountRef:ReferenceType PercentBased:b DiscountPercent:n DiscountAccountRef:ReferenceType ServiceDate:d
    ClassRef:ReferenceType TaxCodeRef:ReferenceType`,
  TaxLineDetail: `
    TaxRateRef:ReferenceType PercentBased:b TaxPercent:n NetAmountTaxable:n TaxInclusiveAmount:n
    OverrideDeltaAmount:n ServiceDate:d`,
  SalesItemLineDetail: `
    ItemRef:ReferenceType ClassRef:ReferenceType UnitPrice:n UnitCostPrice:n RatePercent:n
    PriceLevelRef:ReferenceType MarkupInfo:MarkupInfo Qty:n UOMRef:UOMRef ItemAccountRef:ReferenceType
    InventorySiteRef:ReferenceType TaxCodeRef:ReferenceType TaxClassificationRef:ReferenceType! ServiceDate:d
    TaxInclusiveAmt:n DiscountRate:n DiscountAmt:n DeferredRevenue:b RetainageAmount:n`,
  MarkupInfo: `
    PercentBased:b Value:n Percent:n PriceLevelRef:ReferenceType MarkUpIncomeAccountRef:ReferenceType!`,
  UOMRef: `
    Unit:s UOMSetRef:ReferenceType`,
  ItemBasedExpenseLineDetail: `
    ItemRef:ReferenceType ClassRef:ReferenceType UnitPrice:n UnitCostPrice:n RatePercent:n
    PriceLevelRef:ReferenceType MarkupInfo:MarkupInfo Qty:n UOMRef:UOMRef ItemAccountRef:ReferenceType
    InventorySiteRef:ReferenceType TaxCodeRef:ReferenceType TaxClassificationRef:ReferenceType
    CustomerRef:ReferenceType BillableStatus:BillableStatusEnum TaxInclusiveAmt:n`,
  AccountBasedExpenseLineDetail: `
    CustomerRef:ReferenceType ClassRef:ReferenceType AccountRef:ReferenceType BillableStatus:BillableStatusEnum
    MarkupInfo:MarkupInfo TaxAmount:n TaxCodeRef:ReferenceType TaxInclusiveAmt:n`,
  GroupLineDetail: `
    GroupItemRef:ReferenceType Quantity:n UOMRef:UOMRef ServiceDate:d Line:Line[]`,
  SubTotalLineDetail: `
    ItemRef:ReferenceType ServiceDate:d`,
  CustomExtensions: `
    ExtensionType:s AssociatedValues:CustomExtensionAssociatedValues[]`,
  CustomExtensionAssociatedValues: `
    Key:s Value:s`,
  TxnTaxDetail: `
    TxnTaxCodeRef:ReferenceType TotalTax:n TaxReviewStatus:TaxReviewStatusEnum TaxLine:Line[] UseAutomatedSalesTax:b`,
  Tag: `
    Id:id SyncToken:s MetaData:ModificationMetaData AttachableRef:AttachableRef[] domain:s status:EntityStatusEnum
    sparse:b Name:s`,
  TxnApprovalInfo: `
    ApprovalStatus:s ApprovalStatusDetail:s LastChangedByUser:s LastChangedDate:t`,
  RecurringInfo: `
    Name:s RecurType:s Active:b ScheduleInfo:RecurringScheduleInfo`,
  RecurringScheduleInfo: `
    IntervalType:s NumInterval:i DayOfMonth:i DayOfWeek:WeekEnum WeekOfMonth:i MonthOfYear:MonthEnum RemindDays:i
    DaysBefore:i MaxOccurrences:i StartDate:d EndDate:d NextDate:d PreviousDate:d`,
  MemoRef: `
    value:s(1000) id:id`,
  PhysicalAddress: `
    Id:id! Line1:s(500) Line2:s(500) Line3:s(500) Line4:s(500) Line5:s(500) City:s(255) Country:s(255) CountryCode:s
    County:s(25) CountrySubDivisionCode:s(255) PostalCode:s(30) PostalCodeSuffix:s Lat:s! Long:s! Tag:s Note:s`,
  EmailAddress: `
    Address:s(100) Default:b Tag:s`,
  CheckPayment: `
    CheckNum:s Status:s NameOnAcct:s AcctNum:s BankName:s`,
  CreditCardPayment: `
    CreditChargeInfo:CreditChargeInfo CreditChargeResponse:CreditChargeResponse`,
  CreditChargeInfo: `
    Number:s Type:s NameOnAcct:s CcExpiryMonth:i CcExpiryYear:i BillAddrStreet:s PostalCode:s CommercialCardCode:s
    CCTxnMode:CCTxnModeEnum CCTxnType:CCTxnTypeEnum PrevCCTransId:s Amount:n ProcessPayment:b`,
  CreditChargeResponse: `
    CCProcessor:s CCTransId:s Status:CCPaymentStatusEnum ResultCode:i ResultMsg:s MerchantAcctNum:s
    CardSecurityCodeMatch:CCSecurityCodeMatchEnum AuthCode:s AvsStreet:CCAVSMatchEnum AvsZip:CCAVSMatchEnum
    SecurityCode:s ReconBatchId:s PaymentGroupingCode:i TxnAuthorizationTime:t TxnAuthorizationStamp:i
    ClientTransID:s`,
  TransactionDeliveryInfo: `
    DeliveryType:DeliveryTypeEnum! DeliveryTime:t! DeliveryErrorType:DeliveryErrorTypeEnum`,
  MXGlobalInfo: `
    Periodicity:s Month:s Year:s`,
  StatusInfo: `
    status:s statusDate:d callToAction:s`,
  ConvenienceFeeDetail: `
    Id:id SyncToken:s MetaData:ModificationMetaData AttachableRef:AttachableRef[] domain:s status:EntityStatusEnum
    sparse:b ConvenienceFeeType:ConvenienceFeeTypeEnum ConvenienceFeePercent:n`,
  EnabledSurchargeInfo: `
    Enabled:b Card:SurchargePaymentMethodInfo ACH:SurchargePaymentMethodInfo`,
  SurchargePaymentMethodInfo: `
    Enabled:b`,
  TxnRetainageDetail: `
    RetainageAmount:n RetainageOpenBalance:n`,
  BillPaymentCheck: `
    BankAccountRef:ReferenceType PrintStatus:PrintStatusEnum CheckDetail:CheckPayment PayeeAddr:PhysicalAddress`,
  BillPaymentCreditCard: `
    CCAccountRef:ReferenceType CCDetail:CreditCardPayment`,
  TelephoneNumber: `
    DeviceType:s CountryCode:s AreaCode:s ExchangeCode:s Extension:s FreeFormNumber:s(30) Default:b Tag:s`,
  WebSiteAddress: `
    Id:id URI:s(1000) Default:b Tag:s`,
  JobInfo: `
    Status:JobStatusEnum`,
  ContactInfo: `
    Type:ContactTypeEnum Telephone:TelephoneNumber Email:EmailAddress WebSite:WebSiteAddress
    OtherContact:GenericContactType`,
  GenericContactType: `
    Id:id Name:s Value:s Type:s Default:b Tag:s`,
  VendorBankAccountDetail: `
    BankBranchIdentifier:s BankAccountNumber:s BankAccountName:s StatementText:s`,
  ItemGroupDetail: `
    ItemGroupLine:ItemComponentLine[]`,
  ItemComponentLine: `
    ItemRef:ReferenceType Qty:n UOMRef:UOMRef`,
  ItemAssemblyDetail: `
    ItemAssemblyLine:ItemComponentLine[]`,
  TaxRateList: `
    TaxRateDetail:TaxRateDetail[] originatingGroupId:s`,
  TaxRateDetail: `
    TaxRateRef:ReferenceType TaxTypeApplicable:TaxTypeApplicablityEnum TaxOrder:i TaxOnTaxOrder:i`,
  EffectiveTaxRate: `
    RateValue:n EffectiveDate:t EndDate:t`,
  CompanyAccountingPrefs: `
    UseAccountNumbers:b! DefaultARAccount:ReferenceType DefaultAPAccount:ReferenceType TrackDepartments:b
    DepartmentTerminology:s ClassTrackingPerTxn:b ClassTrackingPerTxnLine:b FirstMonthOfFiscalYear:MonthEnum!
    TaxYearMonth:MonthEnum! TaxForm:s! BookCloseDate:d! CustomerTerminology:s`,
  AdvancedInventoryPrefs: `
    EnhancedInventoryReceivingEnabled:b TrackingSerialOrLotNumber:b TrackingOnSalesTransactionsEnabled:b
    TrackingOnPurchaseTransactionsEnabled:b TrackingOnInventoryAdjustmentEnabled:b TrackingOnBuildAssemblyEnabled:b
    FIFOEffectiveDate:d`,
  ProductAndServicesPrefs: `
    ForSales:b ForPurchase:b QuantityWithPriceAndRate:b QuantityOnHand:b RevenueRecognition:b
    RevenueRecognitionFrequency:s RevenueRecognitionEnabled:b RecognitionFrequencyType:s`,
  SalesFormsPrefs: `
    UsingProgressInvoicing:b! CustomField:PrefsCustomFieldGroup[]! CustomTxnNumbers:b DelayedCharges:b
    SalesEmailCc:EmailAddress SalesEmailBcc:EmailAddress EmailCopyToCompany:b AllowDeposit:b AllowDiscount:b
    DefaultDiscountAccount:s AllowEstimates:b EstimateMessage:s!
    ETransactionEnabledStatus:ETransactionEnabledStatusEnum! ETransactionAttachPDF:b ETransactionPaymentEnabled:b
    IPNSupportEnabled:b! InvoiceMessage:s AllowServiceDate:b AllowShipping:b DefaultShippingAccount:s
    DefaultItem:ReferenceType DefaultTerms:ReferenceType DefaultDeliveryMethod:s AutoApplyCredit:b!
    AutoApplyPayments:b TrackReimbursableExpensesAsIncome:b UsingPriceLevels:b! DefaultCustomerMessage:s`,
  EmailMessagesPrefs: `
    NameValue:NameValue[] InvoiceMessage:EmailMessage EstimateMessage:EmailMessage SalesReceiptMessage:EmailMessage
    StatementMessage:EmailMessage`,
  NameValue: `
    Name:s Value:s`,
  EmailMessage: `
    Subject:s Message:s`,
  PrintDocumentPrefs: `
    NameValue:NameValue[]`,
  VendorAndPurchasesPrefs: `
    EnableBills:b TrackingByCustomer:b BillableExpenseTracking:b DefaultTerms:ReferenceType DefaultMarkup:n
    DefaultMarkupAccount:ReferenceType AutomaticBillPayment:b TPAREnabled:b! POCustomField:PrefsCustomFieldGroup[]!
    MsgToVendors:s UsingInventory:b DiscountAccountRef:ReferenceType`,
  TimeTrackingPrefs: `
    UseServices:b DefaultTimeItem:ReferenceType BillCustomers:b ShowBillRateToAll:b WorkWeekStartDate:WeekEnum!
    MarkTimeEntriesBillable:b!`,
  TaxPrefs: `
    UsingSalesTax:b! PartnerTaxEnabled:b! HideTaxManagement:b TaxGroupCodeRef:ReferenceType!`,
  FinanceChargePrefs: '',
  CurrencyPrefs: `
    MultiCurrencyEnabled:b! HomeCurrency:ReferenceType!`,
  ReportPrefs: `
    ReportBasis:ReportBasisEnum CalcAgingReportFromTxnDate:b!`,
  OtherPrefs: `
    NameValue:NameValue[]`,
  DescriptionLineDetail: `
    ServiceDate:d TaxCodeRef:ReferenceType`,
  PrefsCustomFieldGroup: `
    CustomField:PrefsCustomField[]`,
  PrefsCustomField: `
    Name:s Type:CustomFieldTypeEnum BooleanValue:b StringValue:s`,
  DepositLineDetail: `
    Entity:ReferenceType ClassRef:ReferenceType AccountRef:ReferenceType PaymentMethodRef:ReferenceType
    CheckNum:s(21) TxnType:s TaxCodeRef:ReferenceType TaxApplicableOn:s`,
  JournalEntryLineDetail: `
    PostingType:PostingTypeEnum Entity:JournalEntity AccountRef:ReferenceType ClassRef:ReferenceType
    DepartmentRef:ReferenceType TaxCodeRef:ReferenceType TaxApplicableOn:s TaxAmount:n
    BillableStatus:BillableStatusEnum`,
  JournalEntity: `
    Type:s EntityRef:ReferenceType`,
  CashBackInfo: `
    AccountRef:ReferenceType Amount:n Memo:s(4000)`,
};

/** Closed lists of values, separated by a bar. */
export const enumValues: Readonly<Record<string, string>> = {
  AccountClassificationEnum: 'Asset | Equity | Expense | Liability | Revenue',
  AccountTypeEnum: `
    Bank | Accounts Receivable | Other Current Asset | Fixed Asset | Other Asset | Accounts Payable | Credit Card |
    Other Current Liability | Long Term Liability | Equity | Income | Cost of Goods Sold | Expense | Other Income |
    Other Expense | Non-Posting`,
  AgencyVerificationStatus: 'MATCHED | UNMATCHED | PENDING | FAILED',
  BillPaymentTypeEnum: 'Check | CreditCard',
  BillableStatusEnum: 'Billable | NotBillable | HasBeenBilled',
  CCAVSMatchEnum: 'Fail | NotAvailable | Pass',
  CCPaymentStatusEnum: 'Completed | Voided | Unknown',
  CCSecurityCodeMatchEnum: 'Fail | NotAvailable | Pass',
  CCTxnModeEnum: 'CardNotPresent | CardPresent',
  CCTxnTypeEnum: 'Authorization | Capture | Charge | Refund | VoiceAuthorization',
  ContactTypeEnum: 'TelephoneNumber | EmailAddress | WebSiteAddress | GenericContactType',
  ConvenienceFeeTypeEnum: 'MANUAL | AUTO | PAID | DISABLED',
  CustomFieldTypeEnum: 'StringType | BooleanType | NumberType | DateType',
  DeliveryErrorTypeEnum: 'Missing Info | Undeliverable | Delivery Server Down | Bounced Email',
  DeliveryTypeEnum: 'Email | Tradeshift',
  ETransactionEnabledStatusEnum: 'Enabled | NotApplicable',
  ETransactionStatusEnum: `
    Sent | Viewed | Paid | Delivery Error | Updated | Error | Accepted | Rejected | Sent With ICN Error | Delivered
    | Disputed`,
  EmailStatusEnum: 'NotSet | NeedToSend | EmailSent',
  EntityStatusEnum: 'Deleted | Voided | Draft | Pending | InTransit | Synchronized | SyncError',
  FifoCalculationStatus: 'None | InProgress | Completed | Error',
  FinancingProductTypeEnum: 'GET_PAID_UPFRONT',
  GTMConfigTypeEnum: 'SYSTEM_GENERATED | USER_DEFINED | SCRA_DEFINED | HIDDEN_AGENCY',
  GlobalTaxCalculationEnum: 'TaxInclusive | TaxExcluded | NotApplicable',
  ItemTypeEnum: `
    Assembly | Category | Fixed Asset | Group | Inventory | NonInventory | Other Charge | Payment | Service |
    Subtotal | Discount | Tax | Tax Group | Bundle`,
  JobStatusEnum: 'Awarded | Closed | InProgress | None | NotAwarded | Pending',
  LineDetailTypeEnum: `
    PaymentLineDetail | DiscountLineDetail | TaxLineDetail | SalesItemLineDetail | ItemBasedExpenseLineDetail |
    AccountBasedExpenseLineDetail | DepositLineDetail | PurchaseOrderItemLineDetail | ItemReceiptLineDetail |
    JournalEntryLineDetail | GroupLineDetail | DescriptionOnly | SubTotalLineDetail | SalesOrderItemLineDetail |
    TDSLineDetail | ReimburseLineDetail | ItemAdjustmentLineDetail`,
  MonthEnum: `
    January | February | March | April | May | June | July | August | September | October | November | December`,
  PaymentExtendedTypeEnum: 'Prepayment',
  PaymentTypeEnum: 'Cash | Check | CreditCard | Expense | Other',
  PrintStatusEnum: 'NotSet | NeedToPrint | PrintComplete',
  PurchaseOrderStatusEnum: 'Open | Closed',
  ReportBasisEnum: 'Accrual | Cash',
  SpecialItemTypeEnum: 'FinanceCharge | ReimbursableExpenseGroup | ReimbursableExpenseSubtotal',
  SpecialTaxTypeEnum: 'NONE | ZERO_RATE | FOREIGN_TAX | REVERSE_CHARGE | ADJUSTMENT_RATE',
  SubscriptionPaymentsSettingEnum: 'SALE_TERM',
  TaxRateDisplayTypeEnum: 'ReadOnly | HideInTransactionForms | HideInPrintedForms | HideInAll',
  TaxReviewStatusEnum: 'NON_AST_TAX | AST_TAX_OVERRIDE',
  TaxTypeApplicablityEnum: 'TaxOnAmount | TaxOnAmountPlusTax | TaxOnTax',
  TimeEntryUsedForPaychecksEnum: 'NotSet | DoNotUseTimeEntry | UseTimeEntry',
  TxnSubTypeEnum: `
    InvoiceTax | InvoiceRetail | JournalTaxAdjustment | ProjectCostEstimate | EmployeeReimbursableExpense |
    EmployeeReimbursableExpensePayment | RetainageRelease`,
  WeekEnum: 'Sunday | Monday | Tuesday | Wednesday | Thursday | Friday | Saturday',
  gender: 'Male | Female',
  PostingTypeEnum: 'Debit | Credit',
  TimeActivityTypeEnum: 'Vendor | Employee',
};

/** Account subtypes of the service. The reference states their types only for the defaults. */
export const accountSubTypes: ReadonlySet<string> = new Set(
  `
    IncomeTaxPayable IntangibleAssetsOther AccountsPayable AccountsReceivable AccumulatedAdjustment
    AccumulatedAmortization AccumulatedAmortizationOfOtherAssets AccumulatedDepletion AccumulatedDepreciation
    AdvertisingPromotional AllowanceForBadDebts Amortization Auto BadDebts BankCharges Buildings CashOnHand
    CharitableContributions Checking CommonStock CostOfLabor CostOfLaborCos CreditCard DepletableAssets Depreciation
    DevelopmentCosts DirectDepositPayable DiscountsRefundsGiven DividendIncome DuesSubscriptions
    EmployeeCashAdvances Entertainment EntertainmentMeals EquipmentRental EquipmentRentalCos EstimatedTaxes
    ExchangeGainOrLoss FederalIncomeTaxPayable FinanceCosts FixedAssetComputers FixedAssetCopiers
    FixedAssetFurniture FixedAssetPhone FixedAssetPhotoVideo FixedAssetSoftware FixedAssetOtherToolsEquipment
    FurnitureAndFixtures GlobalTaxExpense GlobalTaxPayable GlobalTaxSuspense GasAndFuel Goodwill Gratuity
    DeferredRevenue Healthcare HealthSavingsAccountContributions HomeOffice HomeownerRentalInsurance Insurance
    InsurancePayable IntangibleAssets InterestEarned InterestPaid Inventory Investment_MortgageRealEstateLoans
    Investment_Other Investment_TaxExemptSecurities Investment_USGovernmentObligations Land LeaseBuyout
    LeaseholdImprovements LegalProfessionalFees Licenses LineOfCredit LoanPayable LoansToOfficers LoansToOthers
    LoansToStockholders MachineryAndEquipment MoneyMarket MortgageInterestHomeOffice NonProfitIncome NotesPayable
    OfficeGeneralAdministrativeExpenses OpeningBalanceEquity OrganizationalCosts OtherBusinessExpenses
    OtherCostsOfServiceCos OtherCurrentAssets OtherCurrentLiabilities OtherFixedAssets OtherHomeOfficeExpenses
    OtherInvestmentIncome OtherLongTermAssets OtherLongTermLiabilities OtherMiscellaneousExpense
    OtherMiscellaneousIncome OtherMiscellaneousServiceCost OtherPrimaryIncome OtherVehicleExpenses OwnersEquity
    PaidInCapitalOrSurplus ParkingAndTolls PartnerContributions PartnerDistributions PartnersEquity PayrollClearing
    PayrollExpenses PayrollTaxExpenses PayrollWageExpenses PayrollTaxPayable PenaltiesSettlements PersonalExpense
    PersonalIncome PreferredStock PrepaidExpenses PrepaidExpensesPayable PromotionalMeals PropertyTaxHomeOffice
    RentAndLeaseHomeOffice RentOrLeaseOfBuildings RentsHeldInTrust RentsInTrustLiability
    RepairsAndMaintainceHomeOffice RepairMaintenance Retainage RetainedEarnings SalesOfProductIncome SalesTaxPayable
    Savings SecurityDeposits ServiceFeeIncome ShareholderNotesPayable ShippingFreightDelivery
    ShippingFreightDeliveryCos StateLocalIncomeTaxPayable SuppliesMaterials SuppliesMaterialsCogs TaxesPaid
    TaxExemptInterest Travel TravelMeals TreasuryStock TrustAccounts TrustAccountsLiabilities
    UnappliedCashBillPaymentExpense UnappliedCashPaymentIncome UndepositedFunds Utilities Communications
    UtilitiesHomeOffice Vehicle VehicleInsurance VehicleLease VehicleLoan VehicleLoanInterest VehicleRegistration
    VehicleRepairs Vehicles WashAndRoadServices WithholdingTaxSales WithholdingTaxPurchases WithholdingAssetAmount
    WithholdingLiabilityAmount WithholdingTaxSuspense DevelopmentCosts ProvisionsCurrentAssets OtherConsumables
    ExpenditureAuthorisationsAndLettersOfCredit InternalTransfers ProvisionsFixedAssets AssetsInCourseOfConstruction
    ParticipatingInterests CumulativeDepreciationOnIntangibleAssets ProvisionsNonCurrentAssets
    OutstandingDuesMicroSmallEnterprise OutstandingDuesOtherThanMicroSmallEnterprise GlobalTaxRefund
    GlobalTaxDeferred ProvisionsCurrentLiabilities StaffAndRelatedLiabilityAccounts SocialSecurityAgencies
    SundryDebtorsAndCreditors ProvisionsNonCurrentLiabilities DebtsRelatedToParticipatingInterests
    StaffAndRelatedLongTermLiabilityAccounts GovernmentAndOtherPublicAuthorities GroupAndAssociates InvestmentGrants
    CashReceiptIncome OwnWorkCapitalized OperatingGrants OtherCurrentOperatingIncome CostOfSales
    CashExpenditureExpense ExternalServices OtherExternalServices PurchasesRebates OtherRentalCosts
    ProjectStudiesSurveysAssessments Sundry StaffCosts OtherCurrentOperatingCharges ExtraordinaryCharges
    AppropriationsToDepreciation AccrualsAndDeferredIncome CurrentTaxLiability DeferredTax DistributionCosts
    Investments LongTermBorrowings OtherIntangibleAssets PrepaymentsAndAccruedIncome ShortTermBorrowings
    ProvisionForLiabilities CalledUpShareCapital CalledUpShareCapitalNotPaid LandAsset
    AvailableForSaleFinancialAssets ProvisionForWarrantyObligations CurrentPortionEmployeeBenefitsObligations
    LongTermEmployeeBenefitObligations ObligationsUnderFinanceLeases BankLoans InterestPayables
    GainLossOnSaleOfInvestments GainLossOnSaleOfFixedAssets ShareCapital
    CurrentPortionOfObligationsUnderFinanceLeases AssetsHeldForSale AccruedLiabilities AccruedLongLermLiabilities
    AccruedVacationPayable CashAndCashEquivalents CommissionsAndFees AmortizationExpense
    LossOnDiscontinuedOperationsNetOfTax ManagementCompensation OtherSellingExpenses
    LiabilitiesRelatedToAssetsHeldForSale LongTermDebit EquityInEarningsOfSubsiduaries OtherOperatingIncome
    RevenueGeneral DividendDisbursed FreightAndDeliveryCos ShippingAndDeliveryExpense
    TravelExpensesGeneralAndAdminExpenses TravelExpensesSellingExpense UnrealisedLossOnSecuritiesNetOfTax
    SalesRetail SalesWholesale AccumulatedOtherComprehensiveIncome AssetsAvailableForSale LossOnDisposalOfAssets
    NonCurrentAssets IncomeTaxExpense LongTermInvestments DividendsPayable TradeAndOtherReceivables
    TradeAndOtherPayables CurrentLiabilities SavingsByTaxScheme BorrowingCost Depletion ExceptionalItems
    PriorPeriodItems ExtraordinaryItems MatCredit OtherFreeReserves CapitalReserves Funds
    MoneyReceivedAgainstShareWarrants ShareApplicationMoneyPendingAllotment DeferredTaxLiabilities
    OtherLongTermProvisions CapitalWip IntangibleAssetsUnderDevelopment OtherLongTermInvestments
    LongTermLoansAndAdvancesToRelatedParties OtherLongTermLoansAndAdvances ShortTermInvestmentsInRelatedParties
    OtherEarmarkedBankAccounts ShortTermLoansAndAdvancesToRelatedParties DeferredTaxExpense IncomeTaxOtherExpense
    DutiesAndTaxes BalWithGovtAuthorities TaxRoundoffGainOrLoss OtherDebtors RentARoomReliefRentsReceived
    UkTaxesWithheld ForeignTaxesIncurred PremiumsReceived PremiumsPaid FinanceCostsRestricted CarriedForwardRelief
    RentARoomReliefReliefClaimed`
    .trim()
    .split(/\s+/),
);
