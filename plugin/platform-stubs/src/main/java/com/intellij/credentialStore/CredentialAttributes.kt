// Stands for platform/credential-store/src/credentialStore/CredentialAttributes.kt.
package com.intellij.credentialStore

/** Without a default value: whoever relied on one would call a constructor that the real class doesn't have. */
@Suppress("UNUSED_PARAMETER")
public class CredentialAttributes(serviceName: String)

@Suppress("UNUSED_PARAMETER")
public fun generateServiceName(subsystem: String, key: String): String = throw UnsupportedOperationException()
