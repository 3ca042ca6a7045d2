package com.intellij.openapi.components;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/components/Storage.java. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Storage {
    String value() default "";
}
