import { CompanyMappings } from './companies.tsx';

/** Customer Mappings. */
export const Component = () => <CompanyMappings namespace="Customer" />;
